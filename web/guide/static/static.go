// Package static embeds the style of the guide.
package static

import "embed"

// Files are the embedded files, all at the top.
//
//go:embed *.css
var Files embed.FS
