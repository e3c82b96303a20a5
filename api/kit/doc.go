// Package kit registers the operations of the API's domains: the check of the caller before the body is read, the
// binding and its errors, the shapes of answers, the mapping of errors to problems and their description in the
// document.
//
// A package of a domain under api/ has a function Register that takes a Registry and the services the operations call.
// Handle gives each handler its Caller, whose Scope is never empty.
//
// A type that inputs or bodies embed is exported, because huma ignores embedded structs that are not.
package kit
