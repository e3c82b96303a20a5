// Package kit has what all pages rendered on the server share: a Site with its table of routes, requests, templates,
// lists, forms, texts and cookies. It does not depend on domains: the areas of a site declare their routes and
// templates, and the site declares the frame around them.
//
// A handler is a func(*Request) error. Before the handler the site checks, in this order: the origin, the text of the
// address, the session, the permissions of the route and of the page that its form belongs to, the form token, the id
// in the address, and the confirmation of the password. An error that a handler returns becomes an error page or a
// logged failure (answer.go).
//
// The session of a browser is a token in an HttpOnly, SameSite cookie. Every unsafe request must come from this site
// (Sec-Fetch-Site or Origin) and, if it is a form, have a token that is bound to the browser. Pages load embedded files
// only.
package kit
