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
//
// A column of a [List] is declared once: its cell in the table, its value in the file, and thereby its order.
//
//	func columns() []kit.Column[ticketRow] {
//		return []kit.Column[ticketRow]{
//			kit.TimeColumn("tickets.sold", func(t *ticketRow) time.Time { return t.CreatedAt }).By(kit.Orders{"sold", "-sold"}),
//			kit.TextColumn("label.phone", func(t *ticketRow) string { return t.Phone }),
//			kit.CountColumn("label.lines", func(t *ticketRow) int { return len(t.Lines) }).FileOnly(),
//		}
//	}
//
// Columns are fixed: they do not depend on permissions. A cell is empty if the caller may not see its value.
package kit
