package dev

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"banca/internal/app"
	"banca/internal/commands"
)

// Seed returns the command that fills a database with the demonstration data. It is no part of the shipped program: its users
// have a well-known password.
func Seed() *cobra.Command {
	var volume bool
	var days, points, lines int
	cmd := commands.Maintenance("seed", "Fill the database with the demonstration data; what exists stays", func(a *app.App, ctx context.Context) error {
		if err := a.Seed(ctx); err != nil || !volume {
			return err
		}
		return a.SeedVolume(ctx, days, points, lines, os.Stdout)
	})
	cmd.Flags().BoolVar(&volume, "volume", false, "add a history of sales, prizes and deposits")
	cmd.Flags().IntVar(&days, "days", 90, "days of the history")
	cmd.Flags().IntVar(&points, "points", 300, "ticket points of the history")
	cmd.Flags().IntVar(&lines, "lines", 10_000_000, "bet lines of the history, about")
	return cmd
}
