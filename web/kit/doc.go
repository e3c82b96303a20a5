// Package kit has what all pages rendered on the server share: a Site with its table of routes, requests, templates,
// lists, forms, texts and cookies. It knows no domain and no menu: the areas of a site bring their routes and templates,
// and the site brings the frame around them.
//
// A handler is a func(*Request) error. The site checks before it runs, in this order: the origin, the text of the
// address, the session, the permissions of the route and of the page that its form belongs to, the form token, the ids
// in the address, and the confirmation of the password. An error that a handler returns becomes a page with the
// refusal, or a logged failure, in one place (answer.go).
//
// A browser's session is a token in a cookie that scripts cannot read and other sites cannot make it send. Every
// unsafe request must come from this site (Sec-Fetch-Site or Origin) and, if it is a form, carry a token that is bound
// to the browser. No page loads or runs anything that is not embedded here.
package kit
