package commands

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"banca/internal/app"
	"banca/internal/platform/config"
	"banca/internal/setup"
)

// initialise is the step between `banca migrate` and the first login.
func initialise() *cobra.Command {
	var r setup.Request
	var typed, games bool
	cmd := &cobra.Command{
		Use: "init", Short: "Create the operator, its currencies and banks, and the first administrator of an empty database", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r.Admin.Password = setup.NewPassword()
			if typed {
				var err error
				if r.Admin.Password, err = readLine(os.Stdin); err != nil {
					return err
				}
			}
			if games {
				var err error
				if r.Games, err = setup.AllGames(); err != nil {
					return err
				}
			}
			return withApp(cmd.Context(), config.Mode(cmd.Name()), func(a *app.App, ctx context.Context) error {
				admin, err := a.Initialise(ctx, &r)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(os.Stdout, "the administrator %s can log in\n", admin.Email)
				if err == nil && !typed {
					_, err = fmt.Fprintf(os.Stdout, "password, shown this once: %s\n", r.Admin.Password)
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&r.Operator, "operator", "", "name of the operator")
	cmd.Flags().StringVar(&r.Code, "code", "OPE", "code of the operator's entity")
	cmd.Flags().StringVar(&r.Admin.Email, "email", "", "e-mail address that the first administrator logs in with")
	cmd.Flags().StringVar(&r.Admin.Name, "name", "Administrador", "name of the first administrator")
	cmd.Flags().BoolVar(&typed, "password-stdin", false, "read the password from the standard input instead of generating one")
	cmd.Flags().BoolVar(&games, "games", false, "add the games of the demonstration, with their payouts and schedules")
	for _, name := range []string{"operator", "email"} {
		_ = cmd.MarkFlagRequired(name) // fails for an unknown flag only
	}
	return cmd
}

// readLine reads one line, so that a password stands in no list of processes.
func readLine(from io.Reader) (string, error) {
	line, err := bufio.NewReader(from).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}
