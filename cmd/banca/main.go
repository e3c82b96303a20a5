// Command banca is the whole platform in one binary: `banca dev` runs all of it on this machine, the
// other subcommands run or maintain a part of it in production.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	_ "time/tzdata" // business days must not depend on what the machine has installed
)

// gcPercent trades memory for speed: the live heap is some 20 MiB, and collecting at twice that took a
// tenth of the api's time under load.
const gcPercent = 300

// version is set by the linker.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	debug.SetGCPercent(gcPercent)
	if err := root().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "banca:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called
	}
}
