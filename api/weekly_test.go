package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/weekly"
	"banca/models"
)

const (
	operatorUser = "OPERATOR" // role of a test: an ADMIN of the operator
	atOnce       = 50
)

// The last week that is over, in UTC: its Monday and its Sunday.
var (
	lastWeek      = weekly.Monday(businessday.Of(time.Now(), time.UTC)).AddDays(-7) //nolint:gochecknoglobals // a constant
	settledWeek   = lastWeek.String()                                               //nolint:gochecknoglobals // a constant
	settledPeriod = "from=" + settledWeek + "&to=" + lastWeek.AddDays(6).String()   //nolint:gochecknoglobals // a constant
)

// hourAhead is a clock by which the last week can be drafted from its end on; the database's decides when a payment was made.
type hourAhead struct{ clock.System }

func (c hourAhead) Now() time.Time { return c.System.Now().Add(time.Hour) }

// weeklyBundle is an API with drafts of a week: of an agency that owes 1,000.00 with an own share of 150.00, and of another one.
type weeklyBundle struct {
	*bundle

	currency, settlement, other uuid.UUID
}

func setupWeeks(t *testing.T) *weeklyBundle {
	t.Helper()
	w := &weeklyBundle{bundle: setupAt(t, hourAhead{}), currency: uuid.New(), settlement: uuid.New(), other: uuid.New()}
	second := models.Entity{ID: uuid.Must(uuid.NewV7()), EntityType: models.EntityAgency, Name: "second", Code: "second", Status: models.StatusActive, ParentID: &w.root.ID}
	second.Path = w.root.Path + second.ID.String() + "/"
	require.NoError(t, w.env.PG.Gorm.Create(&second).Error)
	w.exec(t, `INSERT INTO currencies (id, code, name, symbol, digits) VALUES ($1, 'VES', 'Bolívar', 'Bs', 2)`, w.currency)
	w.exec(t, `INSERT INTO wallets (id, entity_id, currency_id, credit_limit) SELECT gen_random_uuid(), unnest($1::uuid[]), $2, 0`, "{"+strings.Join([]string{w.root.ID.String(), w.agency.ID.String(), second.ID.String()}, ",")+"}", w.currency)
	w.exec(t, `UPDATE wallets SET credit_limit = 100000000 WHERE entity_id = $1`, w.root.ID)
	w.exec(t, `INSERT INTO weekly_drafts (week, currency_id, drafted_at) VALUES ($1, $2, now())`, settledWeek, w.currency)
	for id, entity := range map[uuid.UUID]uuid.UUID{w.settlement: w.agency.ID, w.other: second.ID} {
		w.exec(t, `INSERT INTO weekly_settlements (id, week, entity_id, parent_id, currency_id, sales, prizes, commissions, commissions_above, payments, result, rate, mode, carried, carry_out,
			participation, own_share, adjustments, previous, moved, due, drafted_at) VALUES ($1, $2, $3, $4, $5, 145000, 15000, 15000, 0, 0, 115000, 1500, 'CARRY', 0, 0, 15000, 15000, 0, 0, 0, 100000, now())`,
			id, settledWeek, entity, w.root.ID, w.currency)
	}
	by := caller.Caller{Scope: testkit.Scope(w.root.Path), Permissions: auth.RolePermissions(models.RoleAdmin)}
	users := w.deps.Services.Auth
	_, err := users.CreateUser(t.Context(), by, &auth.NewUser{EntityID: w.root.ID, Email: "operator@banca.test", Name: "operator", Role: models.RoleAdmin, Password: password})
	require.NoError(t, err)
	tokens, _, err := users.Login(t.Context(), auth.Credentials{Email: "operator@banca.test", Password: password}, auth.Client{})
	require.NoError(t, err)
	w.tokens[operatorUser] = tokens.Access
	return w
}

func (w *weeklyBundle) at(id uuid.UUID) string { return "/weekly-settlements/" + id.String() }

func (w *weeklyBundle) number(t *testing.T, sql string) (n int64) {
	t.Helper()
	require.NoError(t, w.env.PG.Pool.QueryRow(t.Context(), sql).Scan(&n))
	return n
}

// storm sends a request of the operator many times at once and returns how often each status was answered. key returns the idempotency key of
// a request, body its body.
func (w *weeklyBundle) storm(path string, key, body func(i int) string) map[int]int {
	var wait sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for i := range atOnce {
		wait.Go(func() {
			s := scenario{method: http.MethodPost, path: path, role: operatorUser, header: map[string]string{"Idempotency-Key": key(i)}, body: body(i)}
			r := s.request()
			r.Header.Set("Authorization", "Bearer "+w.tokens[operatorUser])
			answer := httptest.NewRecorder()
			w.Engine().ServeHTTP(answer, r)
			mu.Lock()
			defer mu.Unlock()
			statuses[answer.Code]++
		})
	}
	wait.Wait()
	return statuses
}

func one(text string) func(int) string { return func(int) string { return text } }

func each(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

// Fifty confirmations at once book the share once: with one key all have the same answer, with fifty keys one is first.
func TestConfirmationsAtOnce(t *testing.T) {
	t.Parallel()
	w := setupWeeks(t)
	assert.Equal(t, map[int]int{200: atOnce}, w.storm(w.at(w.settlement)+"/confirm", one("k"), one("")))
	assert.EqualValues(t, 1, w.number(t, `SELECT count(*) FROM transactions`))
	assert.Equal(t, map[int]int{200: 1, 409: atOnce - 1}, w.storm(w.at(w.other)+"/confirm", each("k%d"), one("")))
	assert.EqualValues(t, 2, w.number(t, `SELECT count(*) FROM transactions`))
	assert.EqualValues(t, 300_00, w.number(t, `SELECT sum(balance) FROM wallet_balances WHERE kind = 'main' AND balance > 0`))
	require.Zero(t, w.broken(t))
}

// Fifty payments at once of all that is left make one movement, with one key and with fifty.
func TestPaymentsAtOnce(t *testing.T) {
	t.Parallel()
	w := setupWeeks(t)
	for _, id := range []uuid.UUID{w.settlement, w.other} {
		assert.Equal(t, http.StatusOK, w.do(t, (&scenario{method: http.MethodPost, path: w.at(id) + "/confirm", role: operatorUser}).request()).Code)
	}
	assert.Equal(t, map[int]int{200: atOnce}, w.storm(w.at(w.settlement)+"/payments", one("p"), one(`{"reference":"R"}`)))
	assert.EqualValues(t, 1, w.number(t, `SELECT count(*) FROM weekly_payments`))
	assert.Equal(t, map[int]int{200: 1, 409: atOnce - 1}, w.storm(w.at(w.other)+"/payments", each("p%d"), each(`{"reference":"R%d"}`)))
	assert.EqualValues(t, 2, w.number(t, `SELECT count(*) FROM weekly_payments`))
	assert.EqualValues(t, 2, w.number(t, `SELECT count(*) FROM transactions WHERE type = 'deposit'`))
	require.Zero(t, w.broken(t))
}

// Wrong requests change nothing.
func TestHostileSettlements(t *testing.T) {
	t.Parallel()
	w := setupWeeks(t)
	own, other, admin := w.at(w.settlement), w.at(w.other), models.RoleAdmin
	week := func(day, currency string) string { return `{"week":"` + day + `","currency":"` + currency + `"}` }
	w.run(t, []scenario{
		{name: "an agency confirms", method: "POST", path: own + "/confirm", role: admin, status: 403, code: "FORBIDDEN"},
		{name: "an agency confirms a week", path: "/weekly-settlements/confirm", role: admin, body: week(settledWeek, "VES"), status: 403, code: "FORBIDDEN"},
		{name: "an agency drafts", path: "/weekly-settlements/draft", role: admin, body: week(settledWeek, "VES"), status: 403, code: "FORBIDDEN"},
		{name: "a seller", path: own, role: models.RoleTaquilla, status: 403, code: "FORBIDDEN"},
		{name: "a partner reads", path: own, role: models.RoleSocio, status: 200, has: []string{`"own_share":"150.00"`, `"balance":"1000.00"`}},
		{name: "a partner pays", path: own + "/payments", role: models.RoleSocio, body: `{}`, status: 403, code: "FORBIDDEN"},
		{name: "of another branch", path: other, role: admin, status: 404, code: "SETTLEMENT_NOT_FOUND"},
		{name: "its receipt", path: other + "/receipt", role: admin, status: 404, code: "SETTLEMENT_NOT_FOUND"},
		{name: "pay of another branch", path: other + "/payments", role: admin, body: `{"reference":"x"}`, status: 404, code: "SETTLEMENT_NOT_FOUND"},
		{name: "pay the own", path: own + "/payments", role: admin, body: `{"reference":"x"}`, status: 403, code: "SETTLEMENT_OF_OWN_ENTITY"},
		{name: "a Tuesday", path: "/weekly-settlements?week=2026-01-06", role: operatorUser, status: 422, code: "WEEK_INVALID"},
		{name: "draft a Tuesday", path: "/weekly-settlements/draft", role: operatorUser, body: week("2026-01-06", "VES"), status: 422, code: "WEEK_INVALID"},
		{name: "confirm a Tuesday", path: "/weekly-settlements/confirm", role: operatorUser, body: week("2026-01-06", "VES"), status: 422, code: "WEEK_INVALID"},
		{name: "no week", path: "/weekly-settlements/confirm", role: operatorUser, body: `{"currency":"VES"}`, status: 422, code: "VALIDATION_FAILED"},
		{name: "draft the future", path: "/weekly-settlements/draft", role: operatorUser, body: week("2999-01-07", "VES"), status: 409, code: "WEEK_NOT_OVER"},
		{name: "ten years", path: "/weekly-settlements?from=2016-01-04&to=2026-01-05", role: operatorUser, status: 422, code: "RANGE_INVALID"},
		{name: "reversed", path: "/weekly-settlements?from=2026-01-05&to=2025-12-29", role: operatorUser, status: 422, code: "RANGE_INVALID"},
		{name: "unknown currency", path: "/weekly-settlements?currency=XXX", role: operatorUser, status: 422, code: "CURRENCY_NOT_FOUND"},
		{name: "draft an unknown currency", path: "/weekly-settlements/draft", role: operatorUser, body: week(settledWeek, "XXX"), status: 422, code: "CURRENCY_NOT_FOUND"},
		{name: "unknown state", path: "/weekly-settlements?status=open", role: operatorUser, status: 422, code: "VALIDATION_FAILED"},
		{name: "pay a draft", path: own + "/payments", role: operatorUser, body: `{"reference":"x"}`, status: 409, code: "SETTLEMENT_NOT_CONFIRMED"},
		{name: "report of ten years", path: "/reports/financial/participation?currency=VES&from=2016-01-04&to=2026-01-05", role: operatorUser, status: 422, code: "RANGE_INVALID"},
		{name: "report of another branch", path: "/reports/financial/participation?currency=VES&from=2026-01-05&to=2026-01-11&entityId=" + w.root.ID.String(), role: admin, status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "report without days", path: "/reports/financial/participation?currency=VES", role: admin, status: 422, code: "VALIDATION_FAILED"},
	})
	assert.Zero(t, w.number(t, `SELECT count(*) FROM transactions`))
	assert.Zero(t, w.number(t, `SELECT count(*) FROM weekly_settlements WHERE confirmed_at IS NOT NULL`))
	w.payHostile(t)
}

// payHostile confirms the week and sends wrong payments.
func (w *weeklyBundle) payHostile(t *testing.T) {
	t.Helper()
	own, week := w.at(w.settlement), `{"week":"`+settledWeek+`","currency":"VES"}`
	w.run(t, []scenario{
		{name: "the week", path: "/weekly-settlements/confirm", role: operatorUser, body: week, status: 200, has: []string{`"confirmed":2`, `"refused":[]`}},
		{name: "again", path: "/weekly-settlements/confirm", role: operatorUser, body: week, status: 200, has: []string{`"confirmed":0`}},
		{name: "redraft", path: "/weekly-settlements/draft", role: operatorUser, body: week, status: 409, code: "SETTLEMENT_CONFIRMED"},
		{name: "too many digits", path: own + "/payments", role: operatorUser, body: `{"amount":"1.001","reference":"x"}`, status: 422, code: "INVALID_AMOUNT"},
		{name: "negative", path: own + "/payments", role: operatorUser, body: `{"amount":"-1","reference":"x"}`, status: 422, code: "INVALID_AMOUNT"},
		{name: "no reference", path: own + "/payments", role: operatorUser, body: `{}`, status: 422, code: "MOVEMENT_INVALID"},
		{name: "both", path: own + "/payments", role: operatorUser, body: `{"movement_id":"` + uuid.NewString() + `","amount":"1"}`, status: 422, code: "MOVEMENT_INVALID"},
		{name: "no such movement", path: own + "/payments", role: operatorUser, body: `{"movement_id":"` + uuid.NewString() + `"}`, status: 422, code: "NOT_A_PAYMENT"},
		{name: "unlink none", method: "DELETE", path: own + "/payments/" + uuid.NewString(), role: operatorUser, status: 404, code: "PAYMENT_NOT_LINKED"},
	})
	assert.Zero(t, w.number(t, `SELECT count(*) FROM weekly_payments`))

	paid := w.do(t, (&scenario{path: w.at(w.other) + "/payments", role: operatorUser, body: `{"amount":"400","reference":"other"}`}).request())
	require.Equal(t, http.StatusOK, paid.Code, paid.Body)
	require.Contains(t, paid.Body.String(), `"outstanding":"600.00"`)
	var movement string
	require.NoError(t, w.env.PG.Pool.QueryRow(t.Context(), `SELECT transaction_id::text FROM weekly_payments`).Scan(&movement))
	w.run(t, []scenario{
		{name: "of another branch", path: own + "/payments", role: operatorUser, body: `{"movement_id":"` + movement + `"}`, status: 422, code: "NOT_A_PAYMENT"},
		{name: "the detail", path: w.at(w.other), role: operatorUser, status: 200, has: []string{`"paid_by":[{"movement_id":"` + movement, `"could_pay":[]`}},
		{name: "unlink", method: "DELETE", path: w.at(w.other) + "/payments/" + movement, role: operatorUser, status: 200, has: []string{`"deleted":true`}},
		{name: "could pay", path: w.at(w.other), role: operatorUser, status: 200, has: []string{`"paid_by":[]`, `"could_pay":[{"movement_id":"` + movement}},
		{name: "link", path: w.at(w.other) + "/payments", role: operatorUser, body: `{"movement_id":"` + movement + `"}`, status: 200, has: []string{`"paid":"400.00"`}},
		{name: "the file", path: "/weekly-settlements?format=csv", role: operatorUser, status: 200, has: []string{"Participation %", "15.00", "1000.00"}},
		{name: "the report", path: "/reports/financial/participation?currency=VES&" + settledPeriod, role: operatorUser, status: 200, has: []string{`"result":"2300.00"`, `"own":"2000.00"`, `"left":"0.00"`}},
		{name: "its file", path: "/reports/financial/participation?currency=VES&" + settledPeriod + "&format=csv", role: operatorUser, status: 200, has: []string{"keeps", "2000.00"}},
	})
	require.Zero(t, w.broken(t))
}
