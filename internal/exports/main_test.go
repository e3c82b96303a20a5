package exports_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/exports"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/sheet"
	"banca/models"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// bundle is a service whose report has as many rows as rows says. before is called before each row.
type bundle struct {
	*exports.Service

	env    *testkit.Env
	entity uuid.UUID
	by     caller.Caller
	rows   int
	before func(ctx context.Context, row int) error
	table  func(by caller.Caller) error // of the table; nil for none
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{env: testkit.New(t), entity: uuid.Must(uuid.NewV7()), rows: 2_500}
	b.exec(t, `INSERT INTO entities (id, entity_type, name, code, path) VALUES ($1::uuid, 'OPERATOR', 'E', $1::text, '/' || $1::text || '/')`, b.entity)
	users, err := auth.New(b.env.PG, clock.System{}, auth.Options{
		Secret: []byte(strings.Repeat("s", 32)), AccessTTL: time.Hour, RefreshTTL: time.Hour, BcryptCost: 4, Redis: b.env.Redis,
		Scope: func(_ context.Context, entity uuid.UUID) (caller.Scope, error) {
			return caller.ParseScope("/" + entity.String() + "/")
		},
	})
	require.NoError(t, err)
	b.Service = exports.New(exports.Deps{
		PG: b.env.PG, Auth: users, Objects: b.env.Private, Clock: clock.System{}, Zone: time.UTC, Retention: time.Hour,
		Sources: []exports.Source{{
			Report: "lines", Permission: auth.ReportsRead, Takes: []string{exports.FieldFrom, exports.FieldTo, exports.FieldCurrency}, Needs: []string{exports.FieldCurrency},
			Today: true, Table: b.lines,
		}},
	})
	b.by = b.user(t)
	return b
}

func (b *bundle) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := b.env.PG.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err, sql)
}

func (b *bundle) number(t *testing.T, sql string, args ...any) (n int64) {
	t.Helper()
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// user adds an administrator of the entity.
func (b *bundle) user(t *testing.T) caller.Caller {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	b.exec(t, `INSERT INTO users (id, entity_id, name, email, password_hash, role, status) VALUES ($1::uuid, $2, 'A', $1::text || '@example.com', 'x', 'ADMIN', 'active')`, id, b.entity)
	scope, err := caller.ParseScope("/" + b.entity.String() + "/")
	require.NoError(t, err)
	return caller.Caller{UserID: id, EntityID: b.entity, Scope: scope, Role: models.RoleAdmin, Permissions: auth.RolePermissions(models.RoleAdmin)}
}

func (b *bundle) lines(ctx context.Context, by caller.Caller, language string, f *exports.Filter) (*sheet.Table, error) {
	if b.table != nil {
		if err := b.table(by); err != nil {
			return nil, err
		}
	}
	n := b.rows
	return &sheet.Table{
		Name: "lines-" + f.From + "-" + language, Columns: sheet.Columns("number", "text"), Total: int64(n), Rows: func(yield func([]sheet.Cell, error) bool) {
			for i := range n {
				if b.before != nil {
					if err := b.before(ctx, i); err != nil {
						yield(nil, err)
						return
					}
				}
				if !yield([]sheet.Cell{sheet.Integer(int64(i)), sheet.Text("línea")}, nil) {
					return
				}
			}
		},
	}, nil
}

func request(key string) *exports.Request {
	return &exports.Request{
		Report: "lines", Filter: exports.Filter{Currency: "VES", From: "2026-11-20", To: "2026-11-23"}, Format: sheet.CSV, Language: "es", IdempotencyKey: key,
	}
}

func (b *bundle) create(t *testing.T) *exports.Export {
	t.Helper()
	e, again, err := b.Create(t.Context(), b.by, request(""))
	require.NoError(t, err)
	require.False(t, again)
	return e
}

func (b *bundle) get(t *testing.T, id uuid.UUID) *exports.Export {
	t.Helper()
	e, err := b.Get(t.Context(), b.by, id)
	require.NoError(t, err)
	return e
}

// download reads the file by its link.
func (b *bundle) download(t *testing.T, e *exports.Export) (status int, header http.Header, body string) {
	t.Helper()
	link, err := b.Link(t.Context(), e)
	require.NoError(t, err)
	return read(t, link.URL)
}

func read(t *testing.T, address string) (status int, header http.Header, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	res, err := (&http.Client{Timeout: 10 * time.Second}).Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, res.Body.Close()) }()
	content, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, res.Header, string(content)
}

func (b *bundle) keys(t *testing.T) []string {
	t.Helper()
	keys, err := b.env.Private.Keys(t.Context(), "exports/")
	require.NoError(t, err)
	return keys
}

var errDown = errors.New("the store is away")
