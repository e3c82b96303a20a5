// Package org owns the entity tree: operators, super-agencies, agencies, groups and ticket points.
//
// Invariants: a child is of a lower type than its parent; path is '/<id>/.../<id>/' from the root to
// the entity itself, so a subtree is one prefix; a setting missing in an entity is its parent's; an
// entity can sell only while it and all its ancestors are active.
//
// Data flow: rows -> Chain (root first) -> effective settings and commission rates. Chains are cached
// for seconds, because every sale needs one.
package org
