// Command banca is the shipped program: the roles api, worker and scheduler, and the maintenance of their database.
package main

import (
	"os"
	_ "time/tzdata" // business days must not depend on the machine's installed zones

	_ "golang.org/x/crypto/x509roots/fallback" // an image without files has no certificates

	"banca"
	"banca/internal/commands"
)

// commit is set by the linker. The version is the newest one of CHANGELOG.md.
var commit string //nolint:gochecknoglobals // the linker sets variables only

func main() { os.Exit(commands.Execute(commands.Root(banca.Version(commit)))) }
