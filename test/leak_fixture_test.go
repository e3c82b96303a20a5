package test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"banca/internal/app"
	"banca/internal/dev/testkit"
	"banca/internal/platform/config"
	"banca/internal/setup/seed"
	"banca/models"
)

const leakPassword = "a-password-nobody-else-has"

const bareBankToken = "5f0e7d1e-3f4a-4b5c-8d6e-7f8091a2b3c4"

// leakSuite is the API of the platform in this process, with two branches side by side below the operator.
type leakSuite struct {
	t       *testing.T
	addr    string
	db      *pgxpool.Pool
	redis   redis.UniversalClient
	log     *lockedLog
	client  *http.Client
	secrets []string
	tokens  map[string]string // by "ours ADMIN" and so on
	calls   atomic.Int64
	refresh string // the refresh token of the last login

	ours, theirs *branch
	game, draw   string
	result       string // of a draw that is over, and awaits verification
	drawAlert    string
}

// branch is a part of the organisation, everything of which can be recognised: every text holds mark, every telephone,
// reference and document holds number, and every id holds idMark.
type branch struct {
	mark, number, idMark string

	super, agency, point             string
	ticket, serial, customer, wallet string
	message, request, payment, event string
	statement, alert, entry, session string
	device, deviceSession, document  string
	admin, cashier, user             string // user never logs in
	paidTicket, difference           string
	limit, block, paidSerial         string
	dailyClose, settlement           string
	connection, resend               string
}

// fillDraws adds a draw that is over, with a result that awaits verification and an alert. They belong to all
// branches.
func (s *leakSuite) fillDraws() {
	s.result, s.drawAlert = "0a1b2c3d-0000-7000-8000-00000000000a", "0a1b2c3d-0000-7000-8000-00000000000b"
	over := "0a1b2c3d-0000-7000-8000-00000000000c"
	s.exec(`INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, status, closed_at)
		VALUES ($1, $2, 'OVER', current_date - 1, now() - interval '1 day', now() - interval '1 day', 'closed', now())`, over, s.game)
	s.exec(`INSERT INTO results (id, draw_id, version, value, status, origin, entered_by, entered_at) VALUES ($1, $2, 1, '5', 'proposed', 'typed', gen_random_uuid(), now())`, s.result, over)
	s.exec(`INSERT INTO draw_alerts (id, draw_id, kind, first_at, last_at) VALUES ($1, $2, 'no_result', now(), now())`, s.drawAlert, over)
}

// newBranch names the things of a branch by a letter between a and f.
func newBranch(letter string) *branch {
	b := &branch{
		mark: "zqx" + letter, number: strings.Repeat(fmt.Sprint(letter[0]-'a'+1), 4) + "70077",
		idMark: "-" + strings.Repeat(letter, 4) + "-7000-8000-",
	}
	for i, field := range []*string{
		&b.super, &b.agency, &b.point, &b.ticket, &b.customer, &b.wallet, &b.message, &b.request, &b.payment, &b.event,
		&b.statement, &b.alert, &b.entry, &b.session, &b.device, &b.deviceSession, &b.document,
		&b.paidTicket, &b.difference, &b.limit, &b.block, &b.dailyClose, &b.settlement, &b.connection, &b.resend,
	} {
		*field = b.id(i + 1)
	}
	b.admin, b.cashier, b.user = b.id(201), b.id(202), b.id(204)
	b.serial = strings.ToUpper(b.mark) + "0000077"
	b.paidSerial = strings.ToUpper(b.mark) + "0000078"
	return b
}

// id is the id of the nth thing of the branch.
func (b *branch) id(n int) string { return fmt.Sprintf("01900000%s%012x", b.idMark, n) }

// marks reports whether a text holds anything of the branch.
func (b *branch) marks(text []byte) bool {
	lower := strings.ToLower(string(text))
	return strings.Contains(lower, b.mark) || strings.Contains(lower, b.number) || strings.Contains(lower, b.idMark)
}

// lockedLog keeps everything that is logged.
type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// openLeakSuite starts the API without workers, which writes nothing on its own, and fills the branches.
func openLeakSuite(t *testing.T) *leakSuite {
	t.Helper()
	s := openAPI(t, func(cfg *config.Config) { cfg.HTTP.RateLimitRequests = 1_000_000 }) // the suite sends more than a client may
	s.fill()
	return s
}

// openAPI starts the API in this process over the seed.
func openAPI(t *testing.T, change func(*config.Config)) *leakSuite {
	t.Helper()
	env := testkit.New(t)
	s := &leakSuite{
		t: t, addr: freeAddr(t), db: env.PG.Pool, redis: env.Redis, log: &lockedLog{}, tokens: map[string]string{}, client: &http.Client{},
		ours: newBranch("a"), theirs: newBranch("b"),
	}
	cfg, err := config.Load()
	require.NoError(t, err)
	cfg.HTTP.Addr, cfg.HTTP.PublicURL = s.addr, "http://"+s.addr
	cfg.Postgres.DatabaseURL, cfg.Redis.RedisURL = config.Secret(env.PostgresURL), config.Secret(env.RedisURL)
	cfg.Objects.Endpoint, cfg.Objects.AccessKey, cfg.Objects.SecretKey = "http://127.0.0.1:1", "leak-access-key", "leak-secret-key"
	cfg.Auth.JWTSecret, cfg.Auth.BcryptCost = config.Secret(strings.Repeat("leak-jwt-", 5)), bcrypt.MinCost
	cfg.Bank.WebhookToken = bareBankToken
	s.secrets = []string{cfg.Auth.JWTSecret.Reveal(), cfg.Bank.WebhookToken.Reveal(), cfg.Objects.SecretKey.Reveal(), env.PostgresURL}
	change(&cfg)
	s.serve(&cfg)
	return s
}

// serve runs the role until the test ends.
func (s *leakSuite) serve(cfg *config.Config) {
	s.t.Helper()
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	a, err := app.Open(s.t.Context(), cfg, config.Mode(app.RoleAPI), log)
	require.NoError(s.t, err)
	require.NoError(s.t, a.Seed(s.t.Context()))
	ctx, stop := context.WithCancel(context.WithoutCancel(s.t.Context()))
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- a.Run(ctx, func() { close(ready) }, app.RoleAPI) }()
	s.t.Cleanup(func() {
		s.client.CloseIdleConnections()
		stop()
		require.NoError(s.t, <-ended)
		require.NoError(s.t, a.Close())
	})
	<-ready
}

func (s *leakSuite) exec(sql string, args ...any) {
	s.t.Helper()
	_, err := s.db.Exec(s.t.Context(), sql, args...)
	require.NoError(s.t, err, sql)
}

func (s *leakSuite) fill() {
	s.t.Helper()
	s.game = seed.ID("game", "lotto-activo").String()
	require.NoError(s.t, s.db.QueryRow(s.t.Context(),
		`SELECT id FROM draws WHERE game_id = $1 AND status = 'open' ORDER BY draw_time DESC LIMIT 1`, s.game).Scan(&s.draw))
	s.fillDraws()
	hash, err := bcrypt.GenerateFromPassword([]byte(leakPassword), bcrypt.MinCost)
	require.NoError(s.t, err)
	s.exec(`INSERT INTO user_sessions (id, user_id, token_hash, expires_at) SELECT gen_random_uuid(), id, 'zqx', now() FROM users`)
	for _, b := range []*branch{s.ours, s.theirs} {
		s.fillOrganisation(b)
		s.fillUsers(b, string(hash))
		s.fillSales(b)
		s.fillPrizes(b)
		s.fillBank(b)
		s.fillActivityLog(b)
		s.fillDevices(b)
	}
	s.exec(`UPDATE users SET password_hash = $1 WHERE email = 'admin@banca.test'`, string(hash))
	s.login("house "+models.RoleAdmin, "admin@banca.test")
	for name, b := range map[string]*branch{"ours ": s.ours, "theirs ": s.theirs} {
		for _, role := range []string{models.RoleAdmin, models.RoleTaquilla, models.RoleSocio} {
			s.login(name+role, strings.ToLower(role)+"@"+b.mark+".test")
		}
	}
	warm := leakCall{method: http.MethodGet, token: s.tokens["house "+models.RoleAdmin], path: "/risk/available?draw_id=" + s.draw + "&bet_type=straight&selection=5&currency=VES"}
	require.Equal(s.t, http.StatusOK, s.send(warm).status)  // the first to ask has the draw's counts made
	s.exec(`UPDATE user_sessions SET confirmed_at = now()`) // a missing confirmation must not hide a missing check of the branch
	s.watch()
}

// watch records every row that changes from now on, except times of activity and the log of requests.
func (s *leakSuite) watch() {
	s.t.Helper()
	s.exec(`CREATE TABLE leak_changes (id bigint GENERATED ALWAYS AS IDENTITY, what text NOT NULL)`)
	s.exec(`CREATE FUNCTION leak_note() RETURNS trigger LANGUAGE plpgsql AS $$
		DECLARE activity text[] := '{last_activity_at,last_seen_at}';
		BEGIN
			IF TG_OP <> 'UPDATE' OR (to_jsonb(NEW) - activity) IS DISTINCT FROM (to_jsonb(OLD) - activity) THEN
				INSERT INTO leak_changes (what) VALUES (TG_OP || ' ' || TG_TABLE_NAME);
			END IF;
			RETURN NULL;
		END $$`)
	s.exec(`DO $$ DECLARE t regclass; BEGIN
		FOR t IN SELECT oid FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace
			AND relname NOT IN ('leak_changes', 'goose_db_version', 'request_logs')
		LOOP EXECUTE format('CREATE TRIGGER zz_leak AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION leak_note()', t); END LOOP;
	END $$`)
}

// changes are the rows that changed since the last time.
func (s *leakSuite) changes() []string {
	s.t.Helper()
	var changed []string
	require.NoError(s.t, s.db.QueryRow(s.t.Context(),
		`WITH gone AS (DELETE FROM leak_changes RETURNING what) SELECT coalesce(array_agg(what), '{}') FROM gone`).Scan(&changed))
	return changed
}

func (s *leakSuite) login(who, email string) {
	s.t.Helper()
	body := fmt.Sprintf(`{"email":%q,"password":%q}`, email, leakPassword)
	a := s.send(leakCall{method: http.MethodPost, path: "/auth/login", contentType: "application/json", body: strings.NewReader(body)})
	require.Equal(s.t, http.StatusOK, a.status, string(a.raw))
	s.tokens[who], _ = a.data()["access_token"].(string)
	s.refresh, _ = a.data()["refresh_token"].(string)
	require.NotEmpty(s.t, s.tokens[who])
}

func (s *leakSuite) fillOrganisation(b *branch) {
	s.t.Helper()
	path, parent := "/"+seed.RootEntityID+"/", seed.RootEntityID
	settings := func(keys map[string]any) string {
		raw, err := json.Marshal(keys)
		require.NoError(s.t, err)
		return string(raw)
	}
	for _, e := range []struct{ id, kind string }{{b.super, models.EntitySuperAgency}, {b.agency, models.EntityAgency}, {b.point, models.EntityTicketPoint}} {
		path += e.id + "/"
		s.exec(`INSERT INTO entities (id, entity_type, name, code, parent_id, path, status, finance_info, config_info, legal_info, contact_info,
				location_info, print_info, social_info, messaging_settings) VALUES ($1, $2, $3, $4, $5, $6, 'active', $7, '{}', $8, $9, $10, $11, $12, '{}')`,
			e.id, e.kind, b.mark+" "+e.kind, strings.ToUpper(b.mark)+"-"+e.kind, parent, path,
			settings(map[string]any{"mobile_payment": map[string]string{"bank": "0134", "phone": "0414" + b.number, "id_document": "J-" + b.number}}),
			settings(map[string]any{"tax_id": "J-" + b.number, "business_name": b.mark}), settings(map[string]any{"phone": "0414" + b.number, "email": b.mark + "@x.test"}),
			settings(map[string]any{"address": b.mark}), settings(map[string]any{"subtitle": b.mark}), settings(map[string]any{"instagram": b.mark}))
		parent = e.id
	}
	s.exec(`INSERT INTO wallets (id, entity_id, currency_id, credit_limit) VALUES ($1, $2, $3, 77001)`, b.wallet, b.point, seed.ID("currency", "VES"))
	s.exec(`INSERT INTO wallets (id, entity_id, currency_id) VALUES ($1, $2, $3), ($4, $5, $3)`, b.id(101), b.super, seed.ID("currency", "VES"), b.id(102), b.agency)
	s.exec(`INSERT INTO risk_limits (id, entity_id, currency_id, metric, base) VALUES ($1, $2, $3, 'stake', 7700100)`, b.limit, b.point, seed.ID("currency", "VES"))
}

func (s *leakSuite) fillUsers(b *branch, hash string) {
	s.t.Helper()
	for i, u := range []struct{ role, entity string }{{models.RoleAdmin, b.super}, {models.RoleTaquilla, b.point}, {models.RoleSocio, b.agency}, {"", b.point}} {
		user := b.id(201 + i)
		login := strings.ToLower(u.role)
		if u.role == "" {
			u.role, login = models.RoleTaquilla, "spare"
		}
		s.exec(`INSERT INTO users (id, entity_id, email, phone, identifier, name, role, auth_method, password_hash) VALUES ($1, $2, $3, $4, $5, $6, $7, 'password', $8)`,
			user, u.entity, login+"@"+b.mark+".test", fmt.Sprintf("+58%s%d", b.number, i), b.mark+"-"+login, b.mark+" "+u.role, u.role, hash)
		session := b.id(211 + i)
		if user == b.user {
			session = b.session
		}
		s.exec(`INSERT INTO user_sessions (id, user_id, token_hash, device_info, expires_at) VALUES ($1, $2, 'zqx', $3, now() + interval '1 day')`,
			session, user, fmt.Sprintf(`{"ip":"192.0.2.1","agent":%q}`, b.mark))
	}
	s.exec(`INSERT INTO user_permissions (user_id, permission, granted) VALUES ($1, 'sales:read', true)`, b.cashier)
}

func (s *leakSuite) fillSales(b *branch) {
	s.t.Helper()
	ves, phone := seed.ID("currency", "VES"), "+584"+b.number
	s.exec(`INSERT INTO customers (id, entity_id, name, search_name, phone, id_document) VALUES ($1, $2, $3, lower($3), $4, $5)`, b.customer, b.point, b.mark, phone, "V"+b.number)
	s.exec(`INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, customer_id, status, total, potential_prize, image_url,
			cancel_before, expires_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', 77001, 2310030, $9, now() + interval '1 hour', now() + interval '9 days', now())`,
		b.ticket, b.serial, b.mark+"v", b.point, b.cashier, b.wallet, ves, b.customer, "http://127.0.0.1:1/"+b.mark)
	s.exec(`INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
			VALUES ($1, 1, $2, $3, 'straight', '5', 77001, 300000, 2310030, 1, '{}')`, b.ticket, s.draw, s.game)
	s.exec(`INSERT INTO daily_closes (id, entity_id, currency_id, wallet_id, day, opened_at) VALUES ($1, $2, $3, $4, (now() AT TIME ZONE 'America/Caracas')::date, now())`,
		b.dailyClose, b.point, ves, b.wallet)
	s.exec(`INSERT INTO weekly_drafts (week, currency_id, drafted_at) VALUES ('2026-01-05', $1, now()) ON CONFLICT DO NOTHING`, ves)
	s.exec(`INSERT INTO weekly_settlements (id, week, entity_id, parent_id, currency_id, sales, prizes, commissions, commissions_above, payments, result, rate, mode, carried, carry_out,
			participation, own_share, adjustments, previous, moved, due, drafted_at) VALUES ($1, '2026-01-05', $2, $3, $4, 77001, 0, 0, 0, 0, 77001, 0, 'CARRY', 0, 0, 0, 0, 0, 0, 0, 77001, now())`,
		b.settlement, b.point, b.agency, ves)
	s.exec(`INSERT INTO message_logs (id, entity_id, ticket_id, recipient, body, image_url) VALUES ($1, $2, $3, $4, $5, $5)`, b.message, b.point, b.ticket, phone, b.mark)
	s.exec(`INSERT INTO message_attempts (id, message_id, number, outcome, error_text, duration_ms) VALUES ($1, $2, 1, 'failed', $3, 7)`, b.id(301), b.message, b.mark)
	s.exec(`INSERT INTO messaging_connections (id, entity_id, name, driver, parameters, secrets, per_minute, state, qr, checked_at, created_at, updated_at)
		VALUES ($1, $2, $3, 'evolution', jsonb_build_object('base_url', 'https://' || $3::text || '.example'), 'none:AAAA', 60, 'qr', $3::text::bytea, now(), now(), now())`,
		b.connection, b.point, b.mark)
	s.exec(`INSERT INTO message_templates (entity_id, purpose, language, body, provider_name, provider_language, provider_values, provider_button, version, updated_at, updated_by)
		VALUES ($1, 'receipt', 'es', '{serial} ' || $2::text, '', '', '{}', '', $3, now(), $4)`, b.point, b.mark, b.id(303), b.cashier)
	s.exec(`INSERT INTO message_resends (id, entity_id, user_id, user_name, scope, filter, last_id, cursor, total, created_at)
		VALUES ($1, $2, $3, $4, '/', '{"status":"failed"}', $1, $1, 77, now())`, b.resend, b.point, b.cashier, b.mark)
}

// fillPrizes adds a paid ticket whose payment is not the prize due, and a blocked element.
func (s *leakSuite) fillPrizes(b *branch) {
	s.t.Helper()
	ves, payment := seed.ID("currency", "VES"), b.id(302)
	s.exec(`INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, status, total, potential_prize, prize, settled_at,
			cancel_before, expires_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, 'paid', 77001, 77001, 77002, now(), now(), now() + interval '9 days', now())`,
		b.paidTicket, b.paidSerial, b.mark+"v", b.point, b.cashier, b.wallet, ves)
	s.exec(`INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
			SELECT $1, 1, draw_id, $3, 'straight', '5', 77001, 100, 77001, 1, '{}' FROM results WHERE id = $2`, b.paidTicket, s.result, s.game)
	s.exec(`INSERT INTO paid_prizes (id, ticket_id, entity_id, wallet_id, currency_id, amount, transaction_id, paid_by, paid_at) VALUES ($1, $2, $3, $4, $5, 77001, $6, $7, now())`,
		payment, b.paidTicket, b.point, b.wallet, ves, b.id(303), b.cashier)
	s.exec(`INSERT INTO prize_differences (id, ticket_id, paid_prize_id, result_id, entity_id, currency_id, paid, due, created_at) VALUES ($1, $2, $3, $4, $5, $6, 77001, 77002, now())`,
		b.difference, b.paidTicket, payment, s.result, b.point, ves)
	s.exec(`INSERT INTO risk_limits (id, entity_id, currency_id, draw_id, element, metric, base, reason) VALUES ($1, $2, $3, $4, '7', 'stake', 0, $5)`, b.block, b.point, ves, s.draw, b.mark)
}

func (s *leakSuite) fillBank(b *branch) {
	s.t.Helper()
	ves, phone := seed.ID("currency", "VES"), "+584"+b.number
	s.exec(`INSERT INTO payment_requests (id, origin, entity_id, wallet_id, currency_id, client_letter, client_number, client_phone, amount, expires_at, created_by, note, created_at)
			VALUES ($1, 'manual', $2, $3, $4, 'V', $5, $6, 77001, now() + interval '1 day', $7, $8, now())`, b.request, b.point, b.wallet, ves, b.number, phone, b.cashier, b.mark)
	s.exec(`INSERT INTO bank_payments (id, bank_code, reference, local_date, amount, currency_id, sender_phone, concept, state, reason, answer, event_id, entity_id, note, received_at)
			VALUES ($1, '0134', $2, current_date, 77001, $3, $4, $5, 'unmatched', 'no_request', false, $6, $7, $5, now())`, b.payment, b.number, ves, phone, b.mark, b.event, b.point)
	s.exec(`INSERT INTO bank_events (id, phase, address, outcome, status, answer, checks, raw, fields, reference, phone, payment_id, duration_us, received_at)
			VALUES ($1, 'notification', '203.0.113.7', 'unmatched', 200, false, '[]', convert_to($2::text, 'UTF8'), jsonb_build_object('Concepto', $2::text), $3, $4, $5, 7, now())`,
		b.event, b.mark, b.number, phone, b.payment)
	s.exec(`INSERT INTO security_alerts (id, kind, address, subject_id, hour, count, first_seen_at, last_seen_at) VALUES ($1, 'amount_conflict', '203.0.113.7', $2, now(), 1, now(), now())`, b.alert, b.payment)
	s.exec(`INSERT INTO bank_statements (id, digest, from_date, to_date, lines, skipped, imported_by, created_at) SELECT $1, $2, d, d, 1, 0, $3, now() FROM current_date d`, b.statement, []byte(b.mark), b.admin)
	s.exec(`INSERT INTO bank_statement_lines (statement_id, line_no, local_date, bank_code, reference, amount) VALUES ($1, 1, current_date, '0134', $2, 77001)`, b.statement, b.number+"9")
}

func (s *leakSuite) fillActivityLog(b *branch) {
	s.t.Helper()
	s.exec(`INSERT INTO activity_logs (id, at, user_id, user_name, session_id, entity_id, module, action, target, manual, details, address, user_agent)
			VALUES ($1, $2, $3, $4, $5, $6, 'sales', 'sell', $7, false, jsonb_build_object('note', $4::text), '192.0.2.1', $4)`,
		b.entry, time.Now(), b.cashier, b.mark, b.session, b.point, b.ticket)
}

// fillDevices fills what there are tables for: they come with the work of others.
func (s *leakSuite) fillDevices(b *branch) {
	s.t.Helper()
	there := func(table string) (yes bool) {
		require.NoError(s.t, s.db.QueryRow(s.t.Context(), `SELECT to_regclass($1) IS NOT NULL`, table).Scan(&yes))
		return yes
	}
	if there("devices") {
		s.exec(`INSERT INTO devices (id, entity_id, name, fingerprint_hash, key_hash, status, info, created_by, created_at, updated_at, status_at)
				VALUES ($1, $2, $3, sha256($3::text::bytea), sha256($3::text::bytea), 'active', jsonb_build_object('model', $3::text), $4, now(), now(), now())`,
			b.device, b.point, b.mark, b.admin)
		s.exec(`INSERT INTO device_sessions (id, device_id, user_id, user_session_id, status, last_seen_at, online_until, created_at)
				VALUES ($1, $2, $3, $4, 'active', now(), now(), now())`, b.deviceSession, b.device, b.user, b.session)
		s.exec(`INSERT INTO device_events (id, device_id, kind, note, at) VALUES ($1, $2, 'registered', $3, now())`, b.id(401), b.device, b.mark)
	}
	if there("entity_documents") {
		s.exec(`INSERT INTO entity_documents (id, entity_id, kind, name, content_type, size, digest, object_key, created_by, created_at)
				VALUES ($1, $2, 'other', $3, 'image/png', 7, $4, $3, $5, now())`, b.document, b.point, b.mark, []byte(b.mark), b.admin)
	}
}
