// Package banca has the files of the module's root that the program serves.
package banca

import _ "embed"

// Changelog is CHANGELOG.md.
//
//go:embed CHANGELOG.md
var Changelog string
