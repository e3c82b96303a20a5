package testkit

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"banca/storage"
)

// Template is a migrated database with rows that many tests of a package begin with. They are written once in a test
// process; each test gets a copy.
type Template struct {
	fill func(ctx context.Context, pg *storage.Postgres) error

	once sync.Once
	name string // of the database; empty if fill failed
}

// NewTemplate returns a template whose rows fill writes when the first test asks for them.
func NewTemplate(fill func(ctx context.Context, pg *storage.Postgres) error) *Template {
	return &Template{fill: fill}
}

// New is like the function [New], with a copy of the template as the test's database.
func (tm *Template) New(t testing.TB) *Env {
	t.Helper()
	if err := shared.ready(); err != nil {
		unavailable(t, err)
	}
	tm.once.Do(func() { tm.write(t) })
	if tm.name == "" {
		t.Fatal("testkit: the template could not be filled; see the test that was the first to use it")
	}
	return newEnv(t, tm.name)
}

// write fills a copy of the divided database.
func (tm *Template) write(t testing.TB) {
	t.Helper()
	name := fmt.Sprintf("template_%d", shared.serial.Add(1))
	cloneDatabase(t, name, dividedDatabase)
	address, err := databaseURL(shared.stack.PostgresURL, name)
	check(t, err)
	pg, err := storage.OpenPostgres(t.Context(), storage.PostgresOptions{URL: address, MaxConns: testPoolConns, Logger: newLogger(t)})
	check(t, err)
	err = tm.fill(t.Context(), pg)
	check(t, pg.Close())
	check(t, err)
	tm.name = name
}
