// Package static embeds the scripts and the style of the counter. It is a package of its own so that a changed script compiles no page again.
package static

import "embed"

// Files are the embedded files, all at the top.
//
//go:embed *.js *.css
var Files embed.FS
