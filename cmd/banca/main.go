// Command banca is the shipped program: the roles api, worker and scheduler, and the maintenance of their database.
package main

import (
	"os"
	_ "time/tzdata" // business days must not depend on the machine's installed zones

	"banca/internal/commands"
)

// version is set by the linker.
var version = "dev"

func main() { os.Exit(commands.Execute(commands.Root(version))) }
