// Package org owns the entity tree: operators, super-agencies, agencies, groups and ticket points.
//
// Invariants: a child is of a lower type than its parent; path is '/<id>/.../<id>/' from the root to
// the entity itself, so a subtree is one prefix; a setting missing in an entity is its parent's; an
// entity can sell only while it and all its ancestors are active.
//
// No entity is granted a higher rate than its parent, on any category and bet type, nor a larger share; every
// change of a rate or a parent proves it for the whole subtree before it commits (rates.go).
//
// Data flow: rows -> Chain (root first) -> effective settings and commission rates. Chains are cached
// for seconds, because every sale needs one. Changes (write.go) hold one lock on the tree, read and write in one
// transaction, and drop the cached chains of their own process; others follow within seconds.
package org
