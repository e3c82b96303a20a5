package dev

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"banca/internal/app"
	"banca/internal/commands"
	"banca/internal/setup/volume"
)

// Seed returns the command that fills a database with the demonstration data. It is no part of the shipped program: its users
// have a well-known password.
func Seed() *cobra.Command {
	var filled bool
	var days, points, lines int
	cmd := commands.Maintenance("seed", "Fill the database with the demonstration data; what exists stays", func(a *app.App, ctx context.Context) error {
		if err := a.Seed(ctx); err != nil || !filled {
			return err
		}
		return a.SeedVolume(ctx, volume.Options{Days: days, Points: points, Lines: lines, Progress: os.Stdout})
	})
	cmd.Flags().BoolVar(&filled, "volume", false, "add a history of sales, prizes and deposits")
	cmd.Flags().IntVar(&days, "days", 90, "days of the history")
	cmd.Flags().IntVar(&points, "points", 300, "ticket points of the history")
	cmd.Flags().IntVar(&lines, "lines", 10_000_000, "bet lines of the history, about")
	return cmd
}
