// Package caller names the user that acts: [Caller] is the second parameter of every service method that acts for a
// user, and its [Scope] limits what the method reads and changes.
//
// A Scope is made by [ParseScope] only, which refuses a malformed path. The zero Scope contains no entity, so a query
// without a caller finds no rows instead of all rows.
package caller
