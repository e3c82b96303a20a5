// Package docs embeds the documents, which the guide shows (web/guide). It is a package of its own so that a changed
// document compiles nothing else again.
package docs

import "embed"

// Spanish is the directory of the documents in Spanish.
const Spanish = "es"

// Texts are the documents in Markdown: the English ones at the top, the Spanish ones in their directory.
//
//go:embed *.md es/*.md
var Texts embed.FS
