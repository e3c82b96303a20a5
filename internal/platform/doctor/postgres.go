package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/crypto/bcrypt"

	"banca/internal/platform/egress"
	"banca/storage"
)

const (
	leastPostgres = 15_00_00 // server_version_num
	leastLocks    = 256      // docs/operations.md, "Installing"
	mostDrift     = time.Second
	processes     = 3 // with a pool of their own: api, worker, scheduler
)

// guessed are passwords of examples and first attempts.
func guessed() []string {
	return []string{"postgres", "banca", "banca_app", "password", "secret", "changeme", "admin", "redis", "1234", "123456"}
}

// postgres examines the server, its settings, the role and the tables.
func (e *examination) postgres(ctx context.Context) {
	const check = "postgres"
	address := e.Config.Postgres.DatabaseURL.Reveal()
	c, err := pgx.ParseConfig(address)
	if err != nil {
		e.fail(check, "DATABASE_URL is not an address", "write "+e.where("DATABASE_URL=postgres://ROLE:PASSWORD@HOST:5432/banca"))
		return
	}
	conn, err := pgx.ConnectConfig(ctx, c)
	if err != nil { // pgx takes the password out of this error
		e.fail(check, err.Error(), "start it (systemctl start postgresql), make role and database, or correct DATABASE_URL"+e.in())
		return
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	e.postgresAddress(c)
	if err := e.postgresSettings(ctx, conn); err != nil {
		e.fail(check, err.Error(), "correct DATABASE_URL"+e.in())
		return
	}
	e.clock(ctx, conn)
	if e.schema(ctx, conn) {
		e.bank(ctx, conn)
		e.sources(ctx, conn)
		e.passwords(ctx, conn)
	}
}

// postgresAddress looks at the way to the server: what is not on this machine is encrypted, and no password is guessed.
func (e *examination) postgresAddress(c *pgx.ConnConfig) {
	local := strings.HasPrefix(c.Host, "/") || egress.ThisMachine(c.Host)
	if !local && c.TLSConfig == nil {
		e.weak("postgres", "the connection to "+c.Host+" is not encrypted", "append sslmode=verify-full to DATABASE_URL"+e.in())
	}
	if slices.Contains(guessed(), c.Password) || c.Password != "" && c.Password == c.User {
		e.weak("passwords", "the password of the role "+c.User+" is one that is guessed first",
			"ALTER ROLE "+c.User+" PASSWORD '...', then correct DATABASE_URL"+e.in())
	}
}

// setting is a value that Postgres must have.
type setting struct {
	name string
	good func(value string) bool
	why  string
	want string
	fail bool
}

func settings() []setting {
	is := func(want string) func(string) bool { return func(v string) bool { return v == want } }
	return []setting{
		{"fsync", is("on"), "a power failure destroys the database", "on", true},
		{"full_page_writes", is("on"), "a power failure destroys pages of the database", "on", true},
		{"synchronous_commit", func(v string) bool { return v != "off" }, "a crash loses sales that were answered", "on", true},
		{"server_encoding", is("UTF8"), "names lose their accents", "a database made with --encoding=UTF8", true},
		{"max_locks_per_transaction", atLeast(leastLocks), "years of months need more locks", "256", false},
		{"autovacuum", is("on"), "tables grow without end", "on", false},
		{"default_transaction_read_only", is("off"), "nothing can be written", "off", true},
	}
}

func atLeast(n int) func(string) bool {
	return func(value string) bool {
		var has int
		_, err := fmt.Sscan(value, &has)
		return err == nil && has >= n
	}
}

func (e *examination) postgresSettings(ctx context.Context, conn *pgx.Conn) error {
	const check = "postgres"
	var version, connections int
	var name, role, database string
	var super, standby bool
	err := conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_version'),
		current_setting('max_connections')::int, current_user, current_database(), pg_is_in_recovery(),
		(SELECT rolsuper FROM pg_roles WHERE rolname = current_user)`).
		Scan(&version, &name, &connections, &role, &database, &standby, &super)
	if err != nil {
		return err
	}
	name, _, _ = strings.Cut(name, " ")
	if version < leastPostgres {
		e.fail(check, "version "+name+" is too old", "install Postgres 15 or newer")
	} else {
		e.ok(check, "version %s, database %s, role %s", name, database, role)
	}
	if standby {
		e.fail(check, "the server is a standby, which writes nothing", "name the primary in DATABASE_URL"+e.in())
	}
	if super {
		e.weak("roles", "the role "+role+" is a superuser: a fault of the program could change the ledger's triggers",
			"use a role that owns the database and is no superuser, or the two of scripts/postgres-roles.sql")
	}
	if need := processes * int(e.Config.Postgres.MaxConns); connections < need {
		e.weak(check, fmt.Sprintf("max_connections = %d; three processes use up to %d", connections, need),
			fmt.Sprintf("ALTER SYSTEM SET max_connections = %d and restart Postgres, or lower DATABASE_MAX_CONNS", need+20))
	}
	return e.postgresValues(ctx, conn)
}

func (e *examination) postgresValues(ctx context.Context, conn *pgx.Conn) error {
	for _, s := range settings() {
		var value string
		if err := conn.QueryRow(ctx, `SELECT current_setting($1)`, s.name).Scan(&value); err != nil {
			return err
		}
		if s.good(value) {
			continue
		}
		report := e.weak
		if s.fail {
			report = e.fail
		}
		mend := fmt.Sprintf("ALTER SYSTEM SET %s = %s, then restart Postgres", s.name, s.want)
		if strings.Contains(s.want, " ") {
			mend = "use " + s.want
		}
		report("postgres", fmt.Sprintf("%s = %s: %s", s.name, value, s.why), mend)
	}
	return nil
}

// clock compares the clock of this machine with the database's, which decides.
func (e *examination) clock(ctx context.Context, conn *pgx.Conn) {
	asked := e.Clock.Now()
	database, err := storage.Now(ctx, conn)
	if err != nil {
		return // the next check reports a lost connection
	}
	trip := e.Clock.Now().Sub(asked)
	if drift := database.Sub(asked.Add(trip / 2)); drift.Abs() > mostDrift+trip {
		e.weak("clock", "this machine and the database differ by "+drift.Round(time.Millisecond).String(),
			"synchronise both clocks: apt-get install chrony")
		return
	}
	e.ok("clock", "this machine and the database agree; business days are those of %s", e.Config.Business.Zone)
}

// schema looks for the tables, and for what a first day needs. It reports whether they are there.
func (e *examination) schema(ctx context.Context, conn *pgx.Conn) bool {
	err := storage.CheckSchema(ctx, conn)
	switch {
	case errors.Is(err, storage.ErrUnmigrated):
		e.schemaMissing(ctx, conn)
		return false
	case err != nil:
		e.fail("schema", err.Error(), "correct DATABASE_URL"+e.in())
		return false
	}
	var users bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM users)`).Scan(&users); err != nil {
		e.fail("schema", err.Error(), "give the role the rights of scripts/postgres-roles.sql")
		return false
	}
	if !users {
		e.weak("setup", "there is no administrator yet", "open "+e.Config.HTTP.PublicURL+"/setup with the code of banca setup-code, or banca init --operator NAME --email ADDRESS")
	}
	e.ok("schema", "the tables of this release are there")
	return true
}

// passwords looks for accounts of the demonstration that still have its password.
func (e *examination) passwords(ctx context.Context, conn *pgx.Conn) {
	rows, err := conn.Query(ctx, `SELECT coalesce(nullif(email, ''), identifier), password_hash FROM users
		WHERE id = ANY ($1) AND status = 'active' AND deleted_at IS NULL ORDER BY id`, e.Users)
	if err != nil {
		e.fail("passwords", err.Error(), "give the role the rights of scripts/postgres-roles.sql")
		return
	}
	var names []string
	var name, hash string
	_, err = pgx.ForEachRow(rows, []any{&name, &hash}, func() error {
		if bcrypt.CompareHashAndPassword([]byte(hash), []byte(e.Password)) == nil {
			names = append(names, name)
		}
		return nil
	})
	switch {
	case err != nil:
		e.weak("passwords", err.Error(), "repeat the check")
	case len(names) > 0:
		e.fail("passwords", "the public password of the demonstration opens "+strings.Join(names, ", "),
			"give these users another password, or suspend them")
	}
}

func (e *examination) schemaMissing(ctx context.Context, conn *pgx.Conn) {
	var may bool
	err := conn.QueryRow(ctx, `SELECT has_schema_privilege('public', 'CREATE')`).Scan(&may)
	if err == nil && may {
		e.weak("schema", "the database lacks tables of this release", "banca serve makes them at its start, else banca migrate")
		return
	}
	e.fail("schema", "the database lacks tables of this release, and the role may not make them",
		"banca migrate with the role that owns the database, or ALTER DATABASE ... OWNER TO this role")
}

// sources looks whether the results of all games can be read.
func (e *examination) sources(ctx context.Context, conn *pgx.Conn) {
	known := e.Config.Lottery.SourceNames()
	unknown, err := e.Unknown(ctx, conn, known)
	switch {
	case err != nil:
		e.fail("results", err.Error(), "give the role the rights of scripts/postgres-roles.sql")
	case len(unknown) > 0:
		e.weak("results", "games name the sources "+strings.Join(unknown, ", ")+", of which nothing is read: their results are typed by hand",
			"write "+e.where("LOTTERY_SOURCES="+unknown[0]+"=https://...")+", or take the sources off the games")
	default:
		e.ok("results", "%d sources are configured", len(known))
	}
}

// bank looks whether the bank can call: by the settings, else by the answers of the setup.
func (e *examination) bank(ctx context.Context, conn *pgx.Conn) {
	stored, addresses, err := e.Bank(ctx, conn)
	if err != nil {
		e.fail("bank", err.Error(), "give the role the rights of scripts/postgres-roles.sql")
		return
	}
	if given := len(e.Config.Bank.AllowedIPs); given > 0 {
		addresses = given
	}
	switch {
	case e.Config.Bank.WebhookToken == "" && !stored:
		e.weak("bank", "every call of the bank is refused: it has no token", "write "+e.where("BANK_WEBHOOK_AUTH_TOKEN=$(uuidgen)"))
	case addresses == 0:
		e.weak("bank", "every call of the bank is refused: no address is allowed", "write the bank's addresses into BANK_ALLOWED_IPS"+e.in())
	default:
		e.ok("bank", "it has a token and %d addresses", addresses)
	}
}

// in names the file of the settings.
func (e *examination) in() string {
	if e.File == "" {
		return " in the environment"
	}
	return " in " + e.File
}

func (e *examination) where(line string) string { return line + e.in() }
