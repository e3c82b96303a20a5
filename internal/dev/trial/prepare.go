package trial

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/app"
	"banca/internal/auth"
	"banca/internal/platform/config"
	"banca/internal/setup/seed"
	"banca/models"
)

const (
	passwordText = "trial-password"
	hugeCredit   = 1_000_000_000_00
	hugeLimit    = 1_000_000_000_000_00
	roundsAtMost = 400
	firstRound   = 8 * time.Second // after the start of the load
)

// point is a ticket point with its user and wallet.
type point struct {
	id, wallet string
	user       *actor
}

func rootID() uuid.UUID { return uuid.MustParse(stageRoot) }

func randomInt(n int) int { return rand.IntN(n) } //nolint:gosec // a port is no secret

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
func (s *stage) prepare(ctx context.Context) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	if err := app.Migrate(ctx, cfg, s.options.Log); err != nil {
		return err
	}
	a, err := app.Open(ctx, cfg, config.Mode(app.RoleWorker), s.options.Log)
	if err != nil {
		return err
	}
	if err := errors.Join(a.Seed(ctx), a.Close()); err != nil {
		return err
	}
	s.admin = &actor{name: "admin@banca.test", password: seed.Password}
	s.second = &actor{name: "trial-second", password: passwordText}
	s.bank = &actor{bank: stageBank}
	s.merchant = seed.MerchantPhone
	return s.database.with(ctx, s.addPoints)
}

// addPoints adds ticket points with a user, credit for the whole run, and limits that are checked and never reached.
func (s *stage) addPoints(ctx context.Context, c *pgx.Conn) error {
	hash, err := auth.HashPassword(passwordText, minCost)
	if err != nil {
		return err
	}
	for i := range s.options.shape.points {
		id, login := seed.ID("trial", "point", strconv.Itoa(i)), fmt.Sprintf("trial-%d", i)
		p := point{id: id.String(), user: &actor{name: login, password: passwordText}}
		_, err := c.Exec(ctx, `INSERT INTO entities (id, entity_type, name, code, parent_id, path, status, finance_info)
			SELECT $1::uuid, $2, $3, $3, id, path || ($1::uuid)::text || '/', 'active', '{"commissions":[{"percent":"10"}]}' FROM entities WHERE code = $4`,
			id, models.EntityTicketPoint, fmt.Sprintf("TRIAL-%d", i), seed.CodeGroup)
		if err != nil {
			return err
		}
		_, err = c.Exec(ctx, `INSERT INTO users (id, entity_id, identifier, name, role, auth_method, password_hash) VALUES ($1, $2, $3, $3, $4, 'password', $5)`,
			seed.ID("trial", "user", strconv.Itoa(i)), id, login, models.RoleTaquilla, hash)
		if err != nil {
			return err
		}
		err = c.QueryRow(ctx, `INSERT INTO wallets (id, entity_id, currency_id, credit_limit)
			SELECT gen_random_uuid(), $1, c.id, $2 FROM currencies c WHERE c.code = 'VES' RETURNING id::text`, id, hugeCredit).Scan(&p.wallet)
		if err != nil {
			return err
		}
		s.points = append(s.points, p)
	}
	_, err = c.Exec(ctx, `INSERT INTO users (id, entity_id, identifier, name, role, auth_method, password_hash) VALUES ($1, $2, $3, $3, $4, 'password', $5)`,
		seed.ID("trial", "user", "second"), rootID(), s.second.name, models.RoleAdmin, hash)
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, base)
		SELECT gen_random_uuid(), e.id, c.id, 'stake', $1 FROM entities e, currencies c WHERE e.code LIKE 'TRIAL-%' AND c.code = 'VES'`, hugeLimit)
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, `UPDATE risk_limits SET base = $1`, hugeLimit)
	return err
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
	if !l.client.get(ctx, l.stage.admin, "/games/"+lotto, &seeded) {
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
	got := l.client.send(ctx, l.client.authorization(ctx, l.stage.admin), method, path, body)
	if got.status >= http.StatusMultipleChoices || got.status == 0 {
		return fmt.Errorf("%s %s: %d %s", method, path, got.status, got.raw)
	}
	return got.decode(into)
}

// limitRounds limits what a ticket point may sell of an element of a round, so that sales fill the limits.
func (l *load) limitRounds(ctx context.Context, game string) error {
	if !l.stage.options.shape.edges {
		return nil
	}
	for _, p := range l.stage.points {
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
		at = at.Add(l.stage.options.Round)
	}
	if err := l.setUp(ctx, http.MethodPost, "/games/"+game+"/draws/bulk", map[string]any{"from": day, "to": day, "draws": plan}, nil); err != nil {
		return err
	}
	return l.stage.database.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
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
	return l.stage.database.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		rows, err := c.Query(ctx, `SELECT id::text FROM draws WHERE game_id = $1 AND status = 'open' AND sale_stop_at > now() + interval '6 hours' ORDER BY draw_time LIMIT 3`, game)
		if err != nil {
			return err
		}
		l.stage.draws, err = pgx.CollectRows(rows, pgx.RowTo[string])
		if err == nil && len(l.stage.draws) == 0 {
			err = errors.New("no draw stays open for six hours")
		}
		return err
	})
}
