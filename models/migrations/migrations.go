// Package migrations embeds the numbered goose SQL files that build the database.
package migrations

import "embed"

// FS holds the migrations, oldest first by file name.
//
//go:embed *.sql
var FS embed.FS
