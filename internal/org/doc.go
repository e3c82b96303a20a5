// Package org owns the entity tree: operators, super-agencies, agencies, groups and ticket points.
//
// Invariants: a child is of a lower type than its parent; path is '/<id>/.../<id>/' from the root to the entity itself,
// so a subtree is selected by one prefix; a setting missing in an entity is inherited from its parent; an entity can
// sell only while it and all its ancestors are active.
//
// No entity is granted a higher commission rate than its parent, on any category and bet type, nor a larger
// participation. Every change of a rate or a parent verifies that for the whole subtree before it commits (rates.go).
//
// Data flow: rows -> Chain (root first) -> effective settings and commission rates. Chains are cached for seconds,
// because every sale needs one. A change (write.go) holds one lock on the tree, reads and writes in one transaction,
// and invalidates the cached chains of its process; other processes' caches expire within seconds.
package org
