// Command client sells a ticket with the client that oapi-codegen makes of the document in OpenAPI 3.0, and prints its
// serial code. Arguments: the address of the API, a user and the password.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/google/uuid"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: client address user password")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	serial, err := run(ctx, os.Args[1], os.Args[2], os.Args[3])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(serial)
}

func run(ctx context.Context, address, identifier, password string) (string, error) {
	token := ""
	api, err := NewClientWithResponses(address, WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		return nil
	}))
	if err != nil {
		return "", err
	}
	login, err := api.LoginWithResponse(ctx, LoginJSONRequestBody{Identifier: &identifier, Password: &password})
	if err != nil || login.JSON200 == nil {
		return "", fmt.Errorf("login: %w: %+v", err, login)
	}
	token = login.JSON200.Data.AccessToken
	draw, err := openDraw(ctx, api)
	if err != nil {
		return "", err
	}
	sold, err := sell(ctx, api, draw)
	if err != nil {
		return "", err
	}
	return sold.SerialCode, check(ctx, api, sold)
}

// openDraw returns the id of the last open draw of lotto-activo.
func openDraw(ctx context.Context, api *ClientWithResponses) (string, error) {
	size := int64(200)
	games, err := api.ListGamesWithResponse(ctx, &ListGamesParams{PageSize: &size})
	if err != nil || games.JSON200 == nil {
		return "", fmt.Errorf("games: %w: %+v", err, games)
	}
	for _, game := range games.JSON200.Data {
		if game.ShortCode != "lotto-activo" {
			continue
		}
		open := ListDrawsParamsStatusOpen
		draws, err := api.ListDrawsWithResponse(ctx, &ListDrawsParams{GameId: &game.Id, Status: &open, PageSize: &size})
		if err != nil || draws.JSON200 == nil || len(draws.JSON200.Data) == 0 {
			return "", fmt.Errorf("draws: %w: %+v", err, draws)
		}
		return draws.JSON200.Data[len(draws.JSON200.Data)-1].Id.String(), nil
	}
	return "", fmt.Errorf("lotto-activo is not among %d games", games.JSON200.Meta.Total)
}

func sell(ctx context.Context, api *ClientWithResponses, draw string) (*Ticket, error) {
	first, second := LineInput{DrawId: draw, BetType: "straight"}, LineInput{DrawId: draw, BetType: "straight"}
	for _, err := range []error{
		first.Selection.FromLineInputSelection0("5"), first.Amount.FromLineInputAmount0("10.00"),
		second.Selection.FromLineInputSelection1([]string{"00"}), second.Amount.FromLineInputAmount1(25.5),
	} {
		if err != nil {
			return nil, err
		}
	}
	currency, key := "VES", uuid.NewString()
	sold, err := api.SellTicketWithResponse(ctx, &SellTicketParams{IdempotencyKey: &key}, SellTicketJSONRequestBody{
		Currency: &currency, Customer: &CustomerInput{Name: "María Ñáñez", Phone: "0414-1234567"}, Items: []LineInput{first, second},
	})
	if err != nil || sold.JSON201 == nil {
		return nil, fmt.Errorf("sale: %w: %+v", err, sold)
	}
	return &sold.JSON201.Data, nil
}

// check reads the ticket, and one that does not exist.
func check(ctx context.Context, api *ClientWithResponses, sold *Ticket) error {
	read, err := api.GetTicketWithResponse(ctx, sold.Id)
	if err != nil || read.JSON200 == nil {
		return fmt.Errorf("ticket: %w: %+v", err, read)
	}
	t := read.JSON200.Data
	if t.Status != TicketStatusPending || t.Total != "35.50" || len(t.Items) != 1 || len(t.Items[0].Draws[0].Lines) != 2 {
		return fmt.Errorf("not the ticket that was sold: %+v", t)
	}
	refused, err := api.GetTicketWithResponse(ctx, uuid.New())
	if err != nil || refused.ApplicationproblemJSON404 == nil || refused.ApplicationproblemJSON404.Code != "TICKET_NOT_FOUND" {
		return fmt.Errorf("an unknown ticket: %w: %+v", err, refused)
	}
	return nil
}
