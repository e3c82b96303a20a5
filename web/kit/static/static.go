// Package static embeds the scripts, styles and pictures of the pages. It is a package of its own so that a changed style
// compiles no area again.
package static

import "embed"

// Files are the embedded files, all at the top.
//
//go:embed *.js *.css *.svg *.txt
var Files embed.FS
