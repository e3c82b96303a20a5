package catalog_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/models"
	"banca/storage"
)

// stock gives the shop an operator, for the activity log, and a grid of a few animals.
func stock(t testing.TB) *shop {
	t.Helper()
	s := setup(t)
	root := uuid.Must(uuid.NewV7())
	s.exec(t, `INSERT INTO entities (id, entity_type, name, code, path, status) VALUES ($1, 'OPERATOR', 'Root', 'ROOT', $2, 'active')`, root, "/"+root.String()+"/")
	s.exec(t, `INSERT INTO game_elements (id, game_id, code, name, display_value, position)
		SELECT gen_random_uuid(), $1, c, 'Name of ' || c, lower(c), n FROM unnest('{0,00,1,2,3,10,33}'::text[]) WITH ORDINALITY AS x (c, n)`, s.game)
	return s
}

// fields makes documents of pairs of field and JSON.
func fields(pairs ...string) catalog.Documents {
	d := catalog.Documents{}
	for i := 0; i < len(pairs); i += 2 {
		d[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return d
}

// state is everything that the catalogue keeps, row by row, to show that a refused change changed nothing.
func (s *shop) state(t testing.TB) string {
	t.Helper()
	var all []string
	for _, table := range []string{"game_categories", "games", "game_elements", "game_rules", "draws", "planned_days", "outbox", "activity_logs", "risk_limits"} {
		rows, err := s.env.PG.Pool.Query(t.Context(), `SELECT x::text FROM `+table+` x ORDER BY 1`)
		require.NoError(t, err)
		for rows.Next() {
			var line string
			require.NoError(t, rows.Scan(&line))
			all = append(all, table+" "+line)
		}
		require.NoError(t, rows.Err())
	}
	return strings.Join(all, "\n")
}

// places are the locations that an error names.
func places(err error) []string {
	var list []string
	for _, d := range apperr.From(err).Details {
		list = append(list, d.Location)
	}
	return list
}

func newGame(s *shop, code string) *catalog.GameChange {
	name := "Game " + code
	return &catalog.GameChange{CategoryID: &s.game, Name: &name, ShortCode: &code, Documents: catalog.Documents{}}
}

func TestGames(t *testing.T) {
	t.Parallel()
	s := stock(t)
	ctx := t.Context()
	ch := newGame(s, "second")
	ch.Documents = fields(catalog.FieldRules, `{"bet_types":[{"type":"straight","payout":"30"}]}`, catalog.FieldMetadata, `{"colour":"green"}`)
	made, err := s.CreateGame(ctx, ch)
	require.NoError(t, err)
	require.Equal(t, []any{1, models.StatusActive, 1}, []any{made.Position, made.Status, made.RuleVersion})

	before := s.state(t)
	for _, taken := range []string{"second", "SECOND", "g"} {
		_, err = s.CreateGame(ctx, newGame(s, taken))
		require.ErrorIs(t, err, catalog.ErrGameExists, taken)
	}
	_, err = s.CreateGame(ctx, newGame(s, "not a code"))
	require.ErrorIs(t, err, catalog.ErrInvalidGame)
	require.Equal(t, []string{"short_code"}, places(err))
	require.Equal(t, before, s.state(t), "what was refused changed nothing")
	free, err := s.CodeTaken(ctx, "Second")
	require.NoError(t, err)
	require.True(t, free)

	changed, err := s.UpdateGame(ctx, made.ID, &catalog.GameChange{Documents: fields(catalog.FieldRules, `{"bet_types":[{"payout":"30","type":"straight"}]}`)})
	require.NoError(t, err)
	require.Equal(t, 1, changed.RuleVersion, "the same in other words is no new version")
	changed, err = s.UpdateGame(ctx, made.ID, &catalog.GameChange{Documents: fields(catalog.FieldRules, `{"bet_types":[{"type":"straight","payout":"31"}]}`)})
	require.NoError(t, err)
	require.Equal(t, 2, changed.RuleVersion)
	var versions []string
	rows, err := s.env.PG.Pool.Query(ctx, `SELECT version || ' ' || (betting_rules->'bet_types'->0->>'payout') FROM game_rules WHERE game_id = $1 ORDER BY version`, made.ID)
	require.NoError(t, err)
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		versions = append(versions, line)
	}
	require.Equal(t, []string{"1 30", "2 31"}, versions)
	g, err := s.Game(ctx, made.ID)
	require.NoError(t, err)
	require.EqualValues(t, 3100, g.Rule("straight").Payout, "this process knows it at once")
}

func TestTheOrderOfGames(t *testing.T) {
	t.Parallel()
	s := stock(t)
	ctx := t.Context()
	ids := map[string]uuid.UUID{"g": s.game}
	for _, code := range []string{"b", "c", "d"} {
		made, err := s.CreateGame(ctx, newGame(s, code))
		require.NoError(t, err)
		ids[code] = made.ID
	}
	order := func() string {
		games, err := s.Games(ctx)
		require.NoError(t, err)
		var codes []string
		for i, g := range games {
			require.Equal(t, i, g.Position)
			codes = append(codes, g.ShortCode)
		}
		return strings.Join(codes, "")
	}
	require.Equal(t, "gbcd", order())
	for _, move := range []struct {
		code string
		to   int
		want string
	}{{"d", 0, "dgbc"}, {"d", 2, "gbdc"}, {"g", 99, "bdcg"}, {"c", 2, "bdcg"}} {
		_, err := s.UpdateGame(ctx, ids[move.code], &catalog.GameChange{Position: &move.to})
		require.NoError(t, err)
		require.Equal(t, move.want, order())
	}
	_, err := s.UpdateGame(ctx, s.game, &catalog.GameChange{Position: new(-1)})
	require.ErrorIs(t, err, catalog.ErrInvalidGame)
	require.Equal(t, "bdcg", order())
}

func TestStatusesOfAGame(t *testing.T) {
	t.Parallel()
	s := stock(t)
	for _, move := range []struct {
		to string
		ok bool
	}{{"suspended", true}, {"active", true}, {"inactive", true}, {"suspended", false}, {"register", false}, {"active", true}, {"active", true}} {
		_, err := s.SetGameStatus(t.Context(), s.game, move.to)
		if move.ok {
			require.NoError(t, err, move.to)
			continue
		}
		require.ErrorIs(t, err, catalog.ErrGameStatus, move.to)
	}
	_, err := s.SetGameStatus(t.Context(), uuid.New(), models.StatusActive)
	require.ErrorIs(t, err, catalog.ErrGameNotFound)
}

// Every refusal of a document names the location of the error and holds no submitted value.
func TestDocumentsAreRefusedByPlace(t *testing.T) {
	t.Parallel()
	s := stock(t)
	sign := newGame(s, "signed")
	sign.Documents = fields(catalog.FieldMechanics, `{"kind":"number","digits":3,"derived_from":{"game":"g","take":"all"}}`)
	_, err := s.CreateGame(t.Context(), sign)
	require.NoError(t, err)
	before := s.state(t)
	deep := strings.Repeat(`{"a":`, 9) + "1" + strings.Repeat("}", 9)
	for _, tt := range []struct{ field, doc, at string }{
		{"mechanics", `[]`, "mechanics"},
		{"mechanics", `{"kind":"hunter2"}`, "mechanics.kind"},
		{"mechanics", `{"kind":"element","digits":3}`, "mechanics.kind"},
		{"mechanics", `{"kind":"number","digits":4}`, "mechanics.digits"},
		{"mechanics", `{"kind":"number","digits":2}`, "mechanics.digits"},
		{"mechanics", `{"hunter2":1}`, "mechanics.hunter2"},
		{"mechanics", `{"flags":[{"code":"MEGA","name":"Mega","bet_types":["straight"],"chance":"0.1"}]}`, "mechanics.flags[0]"},
		{"mechanics", `{"flags":[{"code":"MEGA","name":"Mega","bet_types":["straight"],"set":"40","add":"1","chance":"0.1"}]}`, "mechanics.flags[0]"},
		{"mechanics", `{"flags":[{"code":"M","name":"M","bet_types":["straight","triple"],"set":"40","chance":"0.1"}]}`, "mechanics.flags[0].bet_types[1]"},
		{"mechanics", `{"flags":[{"code":"M","name":"M","bet_types":["straight"],"set":"40","chance":"1.5"}]}`, "mechanics.flags[0].chance"},
		{"mechanics", `{"wildcards":[{"code":"C1","name":"C","bet_types":["straight"],"chance":"0.1"}]}`, "mechanics.wildcards[0].multiply"},
		{"mechanics", `{"derived_from":{"game":"nothing","take":"all"}}`, "mechanics.derived_from.game"},
		{"mechanics", `{"derived_from":{"game":"g","take":"all"}}`, "mechanics.derived_from.game"},
		{"mechanics", `{"derived_from":{"game":"signed","take":"all"}}`, "mechanics.derived_from.game"},
		{"mechanics", `{"derived_from":{"game":"signed","take":"last_three"}}`, "mechanics.derived_from.take"},
		{"betting_rules", `{"bet_types":[{"type":"straight","payout":"30"},{"type":"dupleta"}]}`, "betting_rules.bet_types[1].payout"},
		{"betting_rules", `{"bet_types":[{"type":"straight","payout":"30"},{"type":"dupleta","payout":"30.001"}]}`, "betting_rules.bet_types[1].payout"},
		{"betting_rules", `{"bet_types":[{"type":"straight","payout":0}]}`, "betting_rules.bet_types[0].payout"},
		{"betting_rules", `{"bet_types":[{"type":"straight","payout":"0"}]}`, "betting_rules"},
		{"betting_rules", `{"bet_types":[{"type":"straight","payout":30.001}]}`, "betting_rules"},
		{"betting_rules", `{"bet_types":[{"type":"straight","payout":"30"},{"type":"straight","payout":"31"}]}`, "betting_rules.bet_types[1].type"},
		{"betting_rules", `{"bet_types":[{"type":"triple","payout":"30"}]}`, "betting_rules.bet_types[0].type"},
		{"betting_rules", `{"bet_types":[{"type":"terminal_sign","payout":"30"}]}`, "betting_rules.bet_types[0].type"},
		{"betting_rules", `{"bet_types":[{"type":"straight","payout":"30","element_payouts":{"5":"60"}}]}`, "betting_rules.bet_types[0].element_payouts.5"},
		{"betting_rules", `{"bet_types":[{"type":"straight","payout":"30","element_payouts":{"000":"60"}}]}`, "betting_rules.bet_types[0].element_payouts.000"},
		{"betting_rules", `{"bet_types":[{"type":"straight","payout":"30","element_payouts":{"0":"x"}}]}`, "betting_rules.bet_types[0].element_payouts.0"},
		{"betting_rules", `{"bet_types":[{"type":"straight","payout":"30","draws":3}]}`, "betting_rules.bet_types[0].draws"},
		{"betting_rules", `{"bet_types":[{"type":"straight","payout":"30","min_stake":{"VES":"5","*":"1"},"max_stake":"2"}]}`, "betting_rules.bet_types[0].min_stake"},
		{"betting_rules", `{"bet_types":[{"type":"straight","payout":"30","min_stake":{"ves":"5"}}]}`, "betting_rules.bet_types[0].min_stake.ves"},
		{"betting_rules", `{"bet_types":[{"type":"straight","payout":"30","max_per_ticket":1.5}]}`, "betting_rules.bet_types[0].max_per_ticket"},
		{"betting_rules", `{"bet_types":[],"bet_types":[]}`, "betting_rules"},
		{"schedule_config", `{"times":["08:00","8:00"]}`, "schedule_config.times[1]"},
		{"schedule_config", `{"times":["08:00","24:00"]}`, "schedule_config.times[1]"},
		{"schedule_config", `{"times":["08:00","08:00"]}`, "schedule_config.times[1]"},
		{"schedule_config", `{"times":["09:00","08:00"]}`, "schedule_config.times[1]"},
		{"schedule_config", `{"times":["09:00",{"time":"10:00","number":"1"}]}`, "schedule_config.times[1]"},
		{"schedule_config", `{"times":["09:00",{"time":"10:00"}]}`, "schedule_config.times[1].number"},
		{"schedule_config", `{"times":["09:00",{"time":"10:00","number":"A 1"}]}`, "schedule_config.times[1].number"},
		{"schedule_config", `{"time_zone":"Nowhere/Land"}`, "schedule_config.time_zone"},
		{"schedule_config", `{"time_zone":"Local"}`, "schedule_config.time_zone"},
		{"schedule_config", `{"holidays":["2026-02-30"]}`, "schedule_config.holidays[0]"},
		{"schedule_config", `{"weekdays":[1,7]}`, "schedule_config.weekdays[1]"},
		{"schedule_config", `{"weekdays":[1,1]}`, "schedule_config.weekdays"},
		{"metadata", deep, "metadata"},
		{"metadata", `{"a":"` + strings.Repeat("x", 16<<10) + `"}`, "metadata"},
		{"metadata", `{"a":"\u0000"}`, "metadata"},
		{"metadata", `"text"`, "metadata"},
		{"metadata", `{"a":{"b":[1,1e131000]}}`, "metadata.a.b[1]"}, // kept as so many digits
		{"metadata", `{"a":1e200000}`, "metadata.a"},
		{"metadata", `{"a":-1e-200000}`, "metadata.a"},
		{"api_config", `{"sources":[{"name":"official","result":{"url":"x"}}]}`, "api_config.sources[0].result.value"},
		{"api_config", `{"sources":[{"name":"Official"}]}`, "api_config.sources[0].name"},
		{"api_config", `{"verify":{"policy":"hunter2"}}`, "api_config.verify.policy"},
	} {
		_, err := s.UpdateGame(t.Context(), s.game, &catalog.GameChange{Documents: fields(tt.field, tt.doc)})
		require.ErrorIs(t, err, catalog.ErrInvalidGame, tt.doc)
		require.Equal(t, []string{tt.at}, places(err), tt.doc)
		require.NotContains(t, apperr.From(err).Details[0].Message, "hunter2")
	}
	require.Equal(t, before, s.state(t))
	_, err = s.UpdateGame(t.Context(), s.game, &catalog.GameChange{Documents: fields(
		"api_config", `{"external_game":"X","sources":[{"name":"official","trusted":true,"headers":{"Authorization":"Bearer {secret:official}"},"external_id":"{game}","close":{"method":"POST","url":"{base}/x","body":"..."},
			"result":{"method":"GET","url":"{base}","items":"results","match":{"external_id":"{external_id}"},"value":"value","sign":"sign"},"elements":{"01":"1"}}],"verify":{"policy":"agree","sources":2}}`,
		"mechanics", `{"kind":"element","flags":[{"code":"MEGA","name":"Mega","bet_types":["straight"],"set":"40","chance":"0.05"}],"wildcards":[{"code":"C1","name":"Comodín","bet_types":["straight"],"multiply":"2","chance":"0.01"}]}`,
		"betting_rules", `{"bet_types":[{"type":"straight","payout":4,"element_payouts":{"00":"5.5"},"min_stake":{"VES":"1.00"},"max_stake":"5"},{"type":"tripleta","payout":"2","draws":4,"element_payouts":{"0,00,1":"2.5"}}]}`,
	)})
	require.Equal(t, []string{"betting_rules.bet_types[0]"}, places(err), "the flag makes it too good")
	require.ErrorIs(t, err, catalog.ErrOverpriced)
	_, err = s.UpdateGame(t.Context(), s.game, &catalog.GameChange{Documents: fields(
		"api_config", `{"external_game":"X","sources":[{"name":"official","trusted":true,"headers":{"Authorization":"Bearer {secret:official}"},"external_id":"{game}","close":{"method":"POST","url":"{base}/x","body":"..."},
			"result":{"method":"GET","url":"{base}","items":"results","match":{"external_id":"{external_id}"},"value":"value","sign":"sign"},"elements":{"01":"1"}}],"verify":{"policy":"agree","sources":2}}`,
		"mechanics", `{"kind":"element","flags":[{"code":"MEGA","name":"Mega","bet_types":["straight"],"set":"10","chance":"0.05"}],"wildcards":[{"code":"C1","name":"Comodín","bet_types":["straight"],"multiply":"2","chance":"0.01"}]}`,
		"betting_rules", `{"bet_types":[{"type":"straight","payout":4,"element_payouts":{"00":"5.5"},"min_stake":{"VES":"1.00"},"max_stake":"5"},{"type":"tripleta","payout":"2","draws":4,"element_payouts":{"0,00,1":"2.5"}}]}`,
	)})
	require.NoError(t, err)
}

func TestRulesThatPayTooMuchAreForcedWithAReason(t *testing.T) {
	t.Parallel()
	s := stock(t)
	ctx := t.Context()
	dear := `{"bet_types":[{"type":"straight","payout":"30"}]}`
	before := s.state(t)
	_, err := s.UpdateGame(ctx, s.game, &catalog.GameChange{Documents: fields("betting_rules", dear)})
	require.ErrorIs(t, err, catalog.ErrOverpriced)
	require.Contains(t, apperr.From(err).Details[0].Message, "straight")
	_, err = s.UpdateGame(ctx, s.game, &catalog.GameChange{Documents: fields("betting_rules", `{"bet_types":[{"type":"straight","payout":"30"}],"forced":{"reason":"I say so"}}`)})
	require.ErrorIs(t, err, catalog.ErrOverpriced, "saying so in the rules forces nothing")
	require.Equal(t, before, s.state(t))
	row, err := s.UpdateGame(ctx, s.game, &catalog.GameChange{Documents: fields("betting_rules", dear), Force: "a promotion"})
	require.NoError(t, err)
	require.JSONEq(t, `{"bet_types":[{"type":"straight","payout":"30"}],"forced":{"reason":"a promotion"}}`, string(row.BettingRules))
	_, err = s.UpdateGame(ctx, s.game, &catalog.GameChange{Documents: fields("betting_rules", string(row.BettingRules), "metadata", `{}`)})
	require.NoError(t, err, "what was forced and is sent again as it is stays")
	_, err = s.UpdateElement(ctx, s.game, "33", &catalog.ElementChange{Name: new("Pescado")})
	require.NoError(t, err)
	row, err = s.UpdateGame(ctx, s.game, &catalog.GameChange{Documents: fields("betting_rules", `{"bet_types":[{"type":"straight","payout":"6"}],"forced":{"reason":"x"}}`)})
	require.NoError(t, err)
	require.JSONEq(t, `{"bet_types":[{"type":"straight","payout":"6"}]}`, string(row.BettingRules), "the reason goes with what it was for")
	_, err = s.UpdateElement(ctx, s.game, "33", &catalog.ElementChange{Retired: new(true)})
	require.NoError(t, err)
	_, err = s.UpdateElement(ctx, s.game, "10", &catalog.ElementChange{Retired: new(true)})
	require.ErrorIs(t, err, catalog.ErrOverpriced, "fewer elements win more often")
}

func TestCategories(t *testing.T) {
	t.Parallel()
	s := stock(t)
	ctx := t.Context()
	c, err := s.CreateCategory(ctx, &catalog.CategoryChange{Name: new("Loto"), Code: new("LOTO"), Config: json.RawMessage(`{"a":1}`)})
	require.NoError(t, err)
	before := s.state(t)
	for _, wrong := range []struct{ name, code, config string }{{"", "X1", "{}"}, {"X", "x1", "{}"}, {"X", "X1", "[]"}, {"X", "X1", deepObject(9)}} {
		_, err = s.CreateCategory(ctx, &catalog.CategoryChange{Name: &wrong.name, Code: &wrong.code, Config: json.RawMessage(wrong.config)})
		require.ErrorIs(t, err, catalog.ErrInvalidCategory, wrong)
	}
	_, err = s.CreateCategory(ctx, &catalog.CategoryChange{Name: new("Loto"), Code: new("LOTO")})
	require.ErrorIs(t, err, catalog.ErrCategoryExists)
	_, err = s.UpdateCategory(ctx, s.game, &catalog.CategoryChange{Code: new("ANIMALS")})
	require.ErrorIs(t, err, catalog.ErrCategoryInUse, "limits and rates name it by its code")
	require.ErrorIs(t, s.DeleteCategory(ctx, s.game), catalog.ErrCategoryInUse)
	require.Equal(t, before, s.state(t))
	c, err = s.UpdateCategory(ctx, c.ID, &catalog.CategoryChange{Name: new("Lotto"), Code: new("LOTTO")})
	require.NoError(t, err)
	require.Equal(t, []any{"Lotto", "LOTTO", `{"a": 1}`}, []any{c.Name, c.Code, string(c.Config)})
	require.NoError(t, s.DeleteCategory(ctx, c.ID))
	require.ErrorIs(t, s.DeleteCategory(ctx, c.ID), catalog.ErrCategoryNotFound)
}

func deepObject(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }

func TestDeletingAGame(t *testing.T) {
	t.Parallel()
	s := stock(t)
	ctx := t.Context()
	require.Equal(t, 8, s.generate(t))
	derived := newGame(s, "derived")
	derived.Documents = fields(catalog.FieldMechanics, `{"derived_from":{"game":"g","take":"all"}}`)
	other, err := s.CreateGame(ctx, derived)
	require.NoError(t, err)
	require.ErrorIs(t, s.DeleteGame(ctx, s.game), catalog.ErrGameInUse)
	require.NoError(t, s.DeleteGame(ctx, other.ID))
	s.sell(t, "2026-11-24", "2")
	before := s.state(t)
	err = s.DeleteGame(ctx, s.game)
	require.ErrorIs(t, err, catalog.ErrGameHasSales)
	require.Equal(t, []string{"2026-11-24 #2"}, places(err))
	require.Equal(t, before, s.state(t))
	s.exec(t, `DELETE FROM ticket_items`)
	require.NoError(t, s.DeleteGame(ctx, s.game))
	_, err = s.Game(ctx, s.game)
	require.ErrorIs(t, err, catalog.ErrGameNotFound)
}

// sell puts a line on a draw of the shop's game.
func (s *shop) sell(t testing.TB, date, number string) {
	t.Helper()
	s.exec(t, `INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
		SELECT gen_random_uuid(), 1, id, game_id, 'straight', '0', 100, 3000, 3000, 1, '{}' FROM draws WHERE local_date = $1::date AND draw_number = $2`, date, number)
}

// A deletion waits for a sale that is committing and then refuses, and the other way round.
func TestNoDrawIsTakenFromUnderASale(t *testing.T) {
	t.Parallel()
	s := stock(t)
	ctx := t.Context()
	require.Equal(t, 8, s.generate(t))
	var draw uuid.UUID
	require.NoError(t, s.env.PG.Pool.QueryRow(ctx, `SELECT id FROM draws WHERE local_date = '2026-11-24' AND draw_number = '2'`).Scan(&draw))
	conn, err := s.env.PG.Pool.Acquire(ctx)
	require.NoError(t, err)
	defer conn.Release()
	sale, err := conn.Begin(ctx)
	require.NoError(t, err)
	_, err = sale.Exec(ctx, `SELECT pg_advisory_xact_lock_shared($1)`, storage.DrawLock(draw))
	require.NoError(t, err)
	refused := make(chan error, 1)
	go func() {
		_, err := s.SyncDraws(context.WithoutCancel(ctx), s.game, &catalog.DrawSync{From: day(24), To: day(24)})
		refused <- err
	}()
	require.Eventually(t, func() bool {
		var waiting bool
		require.NoError(t, s.env.PG.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)`).Scan(&waiting))
		return waiting
	}, 10*time.Second, time.Millisecond)
	_, err = sale.Exec(ctx, `INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
		VALUES (gen_random_uuid(), 1, $1, $2, 'straight', '0', 100, 3000, 3000, 1, '{}')`, draw, s.game)
	require.NoError(t, err)
	require.NoError(t, sale.Commit(ctx))
	err = <-refused
	require.ErrorIs(t, err, catalog.ErrDrawHasTickets)
	require.Equal(t, []string{"2026-11-24 #2"}, places(err))
	require.Len(t, s.all(t, catalog.DrawFilter{Date: day(24)}), 3)
}

// Concurrent changes of one game's draws are serialised; the result equals one of them.
func TestTwoPlansOfOneGame(t *testing.T) {
	t.Parallel()
	s := stock(t)
	plan := func(numbers ...string) *catalog.DrawSync {
		req := &catalog.DrawSync{From: day(25), To: day(26)}
		for i, n := range numbers {
			req.Draws = append(req.Draws, catalog.DrawSpec{Number: n, Time: time.Date(2026, 11, 25, 14+i, 0, 0, 0, time.UTC)})
		}
		return req
	}
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			req := plan("A", "B", "C")
			if i%2 == 1 {
				req = plan("C", "D")
			}
			_, err := s.SyncDraws(t.Context(), s.game, req)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	var numbers string
	require.NoError(t, s.env.PG.Pool.QueryRow(t.Context(), `SELECT string_agg(draw_number, '' ORDER BY draw_number) FROM draws`).Scan(&numbers))
	require.Contains(t, []string{"ABC", "CD"}, numbers)
}

func day(n int) businessday.Day { return businessday.Date(2026, time.November, n) }
