// Package locales embeds the texts of the pages. It is a package of its own so that a changed text compiles no area again.
package locales

import _ "embed"

// Texts is texts.json, which locale.Read reads.
//
//go:embed texts.json
var Texts []byte
