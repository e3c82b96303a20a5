package volume_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/prizes"
	"banca/internal/rollup"
	"banca/internal/setup/volume"
	"banca/models"
)

// small is an operator of two ticket points, of which one opens late.
func small() *volume.Profile {
	p := &volume.Profile{
		Weekdays: [7]float64{1, 1, 1, 1, 1, 1, 1}, Stakes: []money.Amount{1_000}, HighStakes: []money.Amount{100}, Credit: 1_000_000_00, Source: "official",
		Levels: [4]volume.Level{{Participation: "30"}, {}, {}, {Stake: 1_000_000_00}},
	}
	for hour := 7; hour < 20; hour++ {
		p.Hours[hour] = 1
	}
	points := []volume.Place{
		{Code: "P-1", Name: "Uno", Weight: 2, Opens: 7, User: volume.User{Identifier: "p-1", Name: "Ana", Role: models.RoleTaquilla}},
		{Code: "P-2", Name: "Dos", Weight: 2, Opens: 12, User: volume.User{Identifier: "p-2", Name: "Luis", Role: models.RoleTaquilla}},
	}
	group := []volume.Place{{Code: "P-G", Name: "Grupo", Below: points}}
	p.Places = []volume.Place{{Code: "P-S", Name: "Superagencia", Below: []volume.Place{{Code: "P-A", Name: "Agencia", Below: group}}}}
	return p
}

// The day of a profile is sound at whatever hour it is written, also long after its draws were planned.
func TestTheDayOfAProfileIsSoundAtAllHours(t *testing.T) {
	t.Parallel()
	for _, at := range [][2]int{{0, 20}, {10, 1}, {15, 3}, {23, 30}} {
		t.Run(fmt.Sprintf("%d:%d", at[0], at[1]), func(t *testing.T) {
			t.Parallel()
			o := fixture.New(t, fixture.Rows{DrawDays: 1}.Template())
			today := businessday.Of(o.Clock.Now(), fixture.Caracas)
			options := volume.Options{
				Root: fixture.RootID, Now: today.At(at[0], at[1], fixture.Caracas), Zone: fixture.Caracas, Days: 3, Lines: 3 * 300, Profile: small(),
				Progress: &bytes.Buffer{},
			}
			require.NoError(t, volume.Run(t.Context(), o.PG, options))
			w, err := volume.Resume(t.Context(), o.PG, options)
			require.NoError(t, err)
			require.NoError(t, w.WriteToday(t.Context(), 600))
			o.Clock.Advance(max(options.Now.Sub(o.Clock.Now()), 0))
			sound(t, o)

			require.Zero(t, o.Number(t, `SELECT count(*) FROM tickets WHERE greatest(created_at, cancelled_at, settled_at, expired_at) > $1`, options.Now))
			require.Zero(t, o.Number(t, `SELECT count(*) FROM tickets t JOIN entities e ON e.id = t.entity_id
				WHERE e.code = 'P-2' AND extract(hour FROM t.created_at AT TIME ZONE 'America/Caracas') < 12`))
			sold := o.Number(t, `SELECT count(*) FROM tickets WHERE created_at >= $1`, today.At(0, 0, fixture.Caracas))
			if at[0] < 7 {
				require.Zero(t, sold)
				return
			}
			require.Positive(t, sold)
			require.EqualValues(t, 12, o.Number(t, `SELECT count(*) FROM draws d JOIN games g ON g.id = d.game_id WHERE g.short_code = 'lotto-activo' AND d.local_date = $1`, today),
				"no draw of the day is missing")
			require.Positive(t, o.Number(t, `SELECT count(*) FROM draws WHERE local_date = $1 AND status = 'settled'`, today))
		})
	}
}

// sound counts what a volume has written and verifies every invariant.
func sound(t *testing.T, o *fixture.Operator) {
	t.Helper()
	totals := rollup.New(o.PG, fixture.Caracas)
	for folded := 1; folded > 0; {
		var err error
		folded, err = o.Ledger.Fold(t.Context())
		require.NoError(t, err)
	}
	o.CountTotals(t, totals.Advance)
	sales, err := o.NewSales()
	require.NoError(t, err)
	paying := prizes.New(prizes.Deps{PG: o.PG, Org: o.Org, Catalog: o.Catalog, Ledger: o.Ledger, Clock: o.Clock, Zone: fixture.Caracas})
	drawing := draws.New(draws.Deps{PG: o.PG, Catalog: catalog.New(o.PG, o.Clock, catalog.Options{Zone: fixture.Caracas}), Clock: o.Clock, Log: o.Env.Log})
	o.RequireSound(t, sales.Verify, paying.Verify, drawing.Checks, totals.Verify)
}
