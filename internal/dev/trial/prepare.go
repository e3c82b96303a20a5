package trial

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/dev/testbed"
	"banca/internal/setup/seed"
	"banca/models"
)

const (
	trialRun     = "trial"
	secondLogin  = "trial-second"
	roundsAtMost = 400
	firstRound   = 8 * time.Second // after the start of the load
)

// point is a ticket point with its user and wallet.
type point struct {
	id, wallet string
	user       *actor
}

func rootID() uuid.UUID { return uuid.MustParse(seed.RootEntityID) }

// minor reads an amount with two digits.
func minor(text string) int64 {
	var whole, cents int64
	sign := int64(1)
	if len(text) > 0 && text[0] == '-' {
		sign, text = -1, text[1:]
	}
	_, _ = fmt.Sscanf(text, "%d.%d", &whole, &cents)
	return sign * (whole*unit + cents)
}

// prepare migrates and seeds the database and adds the run's own ticket points.
func (s *platform) prepare(ctx context.Context) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	if err := testbed.Prepare(ctx, cfg, s.options.Log); err != nil {
		return err
	}
	s.admin = &actor{name: "admin@banca.test", password: seed.Password}
	s.second = &actor{name: secondLogin, password: testbed.Password}
	s.bank = &actor{bank: testbed.BankToken}
	s.merchant = seed.MerchantPhone
	return s.database.with(ctx, s.addPoints)
}

// addPoints adds ticket points, and a second administrator.
func (s *platform) addPoints(ctx context.Context, c *pgx.Conn) error {
	added, err := testbed.AddPoints(ctx, c, trialRun, s.options.shape.points)
	if err != nil {
		return err
	}
	for _, p := range added {
		s.points = append(s.points, point{id: p.ID.String(), wallet: p.WalletID.String(), user: &actor{name: p.Login, password: testbed.Password}})
	}
	return testbed.AddUser(ctx, c, seed.ID(trialRun, "user", "second"), seed.CodeOperator, secondLogin, models.RoleAdmin)
}

// planRounds makes the game of the rounds with a draw for each, and finds draws that stay open.
func (l *load) planRounds(ctx context.Context) error {
	var made struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	}
	var seeded struct {
		Category string `json:"category_id"`
	}
	lotto := seed.ID("game", "lotto-activo").String()
	if !l.client.get(ctx, l.platform.admin, "/games/"+lotto, &seeded) {
		return errors.New("the seeded game cannot be read")
	}
	post := func(method, path string, body any, into any) error { return l.setUp(ctx, method, path, body, into) }
	elements := []map[string]any{}
	for _, code := range roundSelections() {
		elements = append(elements, map[string]any{"code": code, "name": "Elemento " + code})
	}
	err := post(http.MethodPost, "/games", map[string]any{
		"name": "Prueba", "short_code": "prueba", "category_id": seeded.Category, "sale_stop_seconds": 0, "mechanics": map[string]any{"kind": "element"},
		"betting_rules": map[string]any{"bet_types": []any{map[string]any{"type": "straight", "payout": strconv.Itoa(roundPayout)}}},
	}, &made)
	if err == nil {
		err = post(http.MethodPost, "/games/"+made.ID+"/bulk-data", map[string]any{"elements": elements}, nil)
	}
	if err == nil && made.Status != "active" {
		err = post(http.MethodPut, "/games/"+made.ID+"/status", map[string]any{"status": "active"}, nil)
	}
	if err != nil {
		return err
	}
	return errors.Join(l.limitRounds(ctx, made.ID), l.planDraws(ctx, made.ID), l.findDraws(ctx, lotto))
}

// setUp makes one request that must be answered well.
func (l *load) setUp(ctx context.Context, method, path string, body, into any) error {
	got := l.client.send(ctx, l.client.authorization(ctx, l.platform.admin), method, path, body)
	if got.status >= http.StatusMultipleChoices || got.status == 0 {
		return fmt.Errorf("%s %s: %d %s", method, path, got.status, got.raw)
	}
	return got.decode(into)
}

// limitRounds limits what a ticket point may sell of an element of a round, so that sales fill the limits.
func (l *load) limitRounds(ctx context.Context, game string) error {
	if !l.platform.options.shape.edges {
		return nil
	}
	for _, p := range l.platform.points {
		body := map[string]any{"entityId": p.id, "currency": "VES", "game_id": game, "metric": "stake", "base": fmt.Sprintf("%d.00", roundRoom)}
		if err := l.setUp(ctx, http.MethodPost, "/risk/limits", body, nil); err != nil {
			return err
		}
	}
	return nil
}

// planDraws plans the rounds of the rest of the business day.
func (l *load) planDraws(ctx context.Context, game string) error {
	zone, err := time.LoadLocation("America/Caracas")
	if err != nil {
		return err
	}
	at := time.Now().Add(firstRound).UTC().Truncate(time.Millisecond)
	day := at.In(zone).Format(time.DateOnly)
	plan, byNumber := []map[string]any{}, map[string]*round{}
	for i := 0; i < roundsAtMost && at.In(zone).Format(time.DateOnly) == day; i++ {
		number := fmt.Sprintf("C%d", i)
		plan = append(plan, map[string]any{"draw_number": number, "draw_time": at})
		byNumber[number] = &round{stop: at}
		l.rounds = append(l.rounds, byNumber[number])
		at = at.Add(l.platform.options.Round)
	}
	if err := l.setUp(ctx, http.MethodPost, "/games/"+game+"/draws/bulk", map[string]any{"from": day, "to": day, "draws": plan}, nil); err != nil {
		return err
	}
	return l.platform.database.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		rows, err := c.Query(ctx, `SELECT draw_number, id::text FROM draws WHERE game_id = $1`, game)
		if err != nil {
			return err
		}
		var number, id string
		_, err = pgx.ForEachRow(rows, []any{&number, &id}, func() error {
			if r := byNumber[number]; r != nil {
				r.draw = id
			}
			return nil
		})
		return err
	})
}

// findDraws finds draws that stay open for the whole run.
func (l *load) findDraws(ctx context.Context, game string) error {
	return l.platform.database.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		rows, err := c.Query(ctx, `SELECT id::text FROM draws WHERE game_id = $1 AND status = 'open' AND sale_stop_at > now() + interval '6 hours' ORDER BY draw_time LIMIT 3`, game)
		if err != nil {
			return err
		}
		l.platform.draws, err = pgx.CollectRows(rows, pgx.RowTo[string])
		if err == nil && len(l.platform.draws) == 0 {
			err = errors.New("no draw stays open for six hours")
		}
		return err
	})
}
