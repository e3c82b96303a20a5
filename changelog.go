// Package banca has the files of the module's root that the program serves, and the version of the release.
package banca

import (
	_ "embed"
	"regexp"
)

// Changelog is CHANGELOG.md.
//
//go:embed CHANGELOG.md
var Changelog string

// heading is the heading of a release in CHANGELOG.md. The newest release is the first one and has a date once it is
// closed.
var heading = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2}|Unreleased)$`)

// Version returns the version of the newest heading of CHANGELOG.md, the only place that states it, with the commit as build
// metadata of Semantic Versioning: "1.4.2+3f0c1d2". An empty commit leaves it out.
func Version(commit string) string {
	match := heading.FindStringSubmatch(Changelog)
	if match == nil {
		return "" // TestVersions excludes it
	}
	if commit == "" {
		return match[1]
	}
	return match[1] + "+" + commit
}
