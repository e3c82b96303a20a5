// Package locales embeds the texts of the pages. It is a package of its own so that a changed text compiles no area again.
package locales

import "embed"

// Files are es.json and en.json, each an object of texts by key.
//
//go:embed *.json
var Files embed.FS
