// Command banca is what is shipped: the roles api, worker and scheduler, and the maintenance of their database.
package main

import (
	"os"
	_ "time/tzdata" // business days must not depend on what the machine has installed

	"banca/internal/commands"
)

// version is set by the linker.
var version = "dev"

func main() { os.Exit(commands.Execute(commands.Root(version))) }
