// Package tools has the tools of the assistant. Each calls one service as the user, in the user's scope, and returns a table. It has no statement of its own.
package tools
