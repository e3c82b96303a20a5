package org

import "banca/internal/org"

// maxTree bounds the entities of the tree; a branch that is cut links to a list of its own.
const maxTree = 300

// openTree is the size up to which all of a tree is shown unfolded.
const openTree = 40

// branch is an entity in the tree as it is shown.
type branch struct {
	*org.TreeNode

	Below  int  // entities under it, at any depth
	Hidden bool // those directly under it are not shown here
	Open   bool
	Shown  []*branch
	Money  *nodeMoney // nil if it was not read
}

// Alone returns the branch as a list of one.
func (b *branch) Alone() []*branch { return []*branch{b} }

// branchOf turns a tree into the shown part: level by level, up to maxTree.
func branchOf(root *org.TreeNode) *branch {
	top := &branch{TreeNode: root, Below: below(root)}
	room := maxTree
	for level := []*branch{top}; len(level) > 0; {
		var next []*branch
		for _, b := range level {
			if b.Hidden = len(b.Children) > room; b.Hidden {
				continue
			}
			room -= len(b.Children)
			b.Open = top.Below <= openTree || b == top
			for _, child := range b.Children {
				b.Shown = append(b.Shown, &branch{TreeNode: child, Below: below(child)})
			}
			next = append(next, b.Shown...)
		}
		level = next
	}
	return top
}

func below(n *org.TreeNode) int {
	total := len(n.Children)
	for _, child := range n.Children {
		total += below(child)
	}
	return total
}
