package seed

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/drawstate"
	"banca/internal/platform/businessday"
	"banca/models"
	"banca/storage"
)

// Ids and codes of the records that the request examples of the OpenAPI document name. They are part of the development
// seed only.
const (
	ExampleOpenDraw    = "01900000-0000-7000-8000-0000000000d1" // its sale is open until 2099
	ExampleClosedDraw  = "01900000-0000-7000-8000-0000000000d2" // waits for its result
	ExampleSettledDraw = "01900000-0000-7000-8000-0000000000d3" // decided the ticket ExampleTicket
	ExampleTicket      = "01900000-0000-7000-8000-0000000000e1" // has won and is not paid
	ExampleSerial      = "EXAMPZE2345D"
	ExampleCode        = "482913" // validation code of ExampleTicket
	ExampleSelection   = "5"      // the bet of ExampleTicket and the result of ExampleSettledDraw
)

// exampleGame is the game of the example draws: without a schedule, so that no draw is generated, and without a lottery
// system, so that no result is fetched.
func exampleGame() gameRow {
	return gameRow{slug: "juego-ejemplo", category: models.CategoryAnimalitos, elements: 38, payout: "30"}
}

// Ages of the example draws at the time of the seed. The closed draw is older than the week in which a missing result
// raises an alert. The sale of the settled draw stops before its draw as entities ask for.
const (
	closedDrawAge  = 8 * 24 * time.Hour
	settledDrawAge = time.Minute
	exampleStop    = 5 * time.Minute
)

// Verifier is the second user of the operator: a result is verified by another user than the one who entered it.
func Verifier() User { return User{"verificador@banca.test", models.RoleAdmin, CodeOperator} }

// Examples adds the game, the open draws and the second administrator that the examples need to a database that Run
// has filled. Rows that exist stay. The caller closes and settles the draws with the services. now is in the time
// zone of the business.
func Examples(ctx context.Context, pg *storage.Postgres, o Options, now time.Time) error {
	o, err := o.withRoot(ctx, pg)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	games, err := readGames()
	if err != nil {
		return fmt.Errorf("seed examples: %w", err)
	}
	if err := queueGame(b, exampleGame(), len(games)); err != nil {
		return fmt.Errorf("seed examples: %w", err)
	}
	game := ID("game", exampleGame().slug)
	var draws []drawstate.Plan
	for number, d := range map[string]struct {
		id string
		at time.Time
	}{
		"EJEMPLO-1": {ExampleOpenDraw, time.Date(2099, time.December, 31, 12, 0, 0, 0, now.Location())},
		"EJEMPLO-2": {ExampleClosedDraw, now.Add(-closedDrawAge)},
		"EJEMPLO-3": {ExampleSettledDraw, now.Add(-settledDrawAge)},
	} {
		at := d.at.Truncate(time.Second)
		draws = append(draws, drawstate.Plan{
			ID: uuid.MustParse(d.id), Number: number, Date: businessday.Of(at, at.Location()), At: at,
			Stop: at.Add(-exampleStop), Fixed: true, Status: models.DrawOpen,
		})
	}
	err = pg.InTx(ctx, func(tx pgx.Tx) error {
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		if err := drawstate.InsertTx(ctx, tx, game, draws, now); err != nil {
			return err
		}
		return insertUsers(ctx, tx, o, append(Users(), Verifier()))
	})
	if err != nil {
		return fmt.Errorf("seed examples: %w", err)
	}
	return nil
}
