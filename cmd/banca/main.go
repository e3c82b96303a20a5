// Command banca is the whole platform in one binary: `banca dev` runs all of it on this machine, the
// other subcommands run or maintain a part of it in production.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // business days must not depend on what the machine has installed
)

// version is set by the linker.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := root().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "banca:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called
	}
}
