// Package pictures embeds the pictures of the documents.
package pictures

import "embed"

// Files are the pictures that a document shows, all at the top. The picture of README.md is not among them.
//
//go:embed agency.png board.png payouts.png start.png ticket.png counter.png
var Files embed.FS
