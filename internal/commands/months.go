package commands

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"banca/internal/app"
	"banca/internal/platform/config"
)

func months() *cobra.Command {
	cmd := &cobra.Command{Use: "months", Short: "The months of sales, in the tables and in the archive"}
	cmd.AddCommand(
		Maintenance("list", "Show the months and what keeps one from being archived", func(a *app.App, ctx context.Context) error {
			return a.ListMonths(ctx, os.Stdout)
		}),
		Maintenance("archive", "Move the months that are due to the archive, as the task month.archive does", func(a *app.App, ctx context.Context) error {
			return a.ArchiveMonths(ctx, os.Stdout)
		}),
		Maintenance("check", "Read the whole archive and compare its objects with their hashes", func(a *app.App, ctx context.Context) error {
			return a.CheckMonths(ctx, os.Stdout)
		}),
		&cobra.Command{
			Use: "return <month>", Short: "Put an archived month back into the tables for a week", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				return withApp(cmd.Context(), config.Mode("months"), func(a *app.App, ctx context.Context) error { return a.ReturnMonth(ctx, args[0], os.Stdout) })
			},
		},
	)
	return cmd
}
