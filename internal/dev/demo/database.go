package demo

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/jackc/pgx/v5"

	"banca/internal/app"
	"banca/internal/platform/businessday"
	"banca/internal/platform/config"
	"banca/internal/setup/volume"
	"banca/storage"
)

// Databases beside the one of the round.
const (
	buildDatabase    = "demo_build"    // in which the template is made
	templateDatabase = "demo_template" // the history up to yesterday; its comment is its key
	nextDatabase     = "demo_next"     // of the next round
	adminDatabase    = "postgres"
)

// modeSeed is the mode of an app that writes data and runs no role.
const modeSeed = config.Mode("seed")

// at returns the address of a database of the stack.
func (d *demonstration) at(database string) (string, error) {
	address, err := url.Parse(d.platform.Stack.PostgresURL)
	if err != nil {
		return "", fmt.Errorf("address of Postgres: %w", err)
	}
	address.Path = "/" + database
	return address.String(), nil
}

// name returns the name of the database of the rounds.
func (d *demonstration) name() (string, error) {
	parsed, err := pgx.ParseConfig(d.platform.Stack.PostgresURL)
	if err != nil {
		return "", fmt.Errorf("address of Postgres: %w", err)
	}
	return parsed.Database, nil
}

// administer calls fn with a connection to no database of the demonstration.
func (d *demonstration) administer(ctx context.Context, fn func(conn *pgx.Conn) error) error {
	address, err := d.at(adminDatabase)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	return errors.Join(fn(conn), conn.Close(context.WithoutCancel(ctx)))
}

// statements executes statements about databases, in order.
func (d *demonstration) statements(ctx context.Context, list ...string) error {
	return d.administer(ctx, func(conn *pgx.Conn) error {
		for _, sql := range list {
			if _, err := conn.Exec(ctx, sql); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
		return nil
	})
}

// in calls fn with an app over a database.
func (d *demonstration) in(ctx context.Context, database string, fn func(a *app.App) error) error {
	address, err := d.at(database)
	if err != nil {
		return err
	}
	cfg := *d.platform.Config
	cfg.Postgres.DatabaseURL = config.Secret(address)
	if err := app.Migrate(ctx, &cfg, d.log); err != nil {
		return err
	}
	a, err := app.Open(ctx, &cfg, modeSeed, d.log)
	if err != nil {
		return err
	}
	return errors.Join(fn(a), a.Close())
}

// key identifies what the template depends on: the business day, the program and the options.
func (d *demonstration) key() string {
	return fmt.Sprintf("%s %s %d %d", businessday.Of(d.clock.Now(), d.platform.Config.Business.Zone), d.program, d.Days, d.Lines)
}

// program identifies the running build.
func program() (string, error) {
	file, err := os.Executable()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano()), nil
}

// options are the options of the history.
func (d *demonstration) options() volume.Options {
	return volume.Options{Days: d.Days, Lines: d.Days * d.Lines, Profile: d.profile, Progress: d.out}
}

// hurry lets commits of a database wait for no disk: its data is made again when the last commits are lost.
func hurry(database string) string {
	return "ALTER DATABASE " + database + " SET synchronous_commit = off"
}

// prepare makes the database of the next round: a copy of the template with the sales of today so far.
func (d *demonstration) prepare(ctx context.Context) error {
	if err := d.ensureTemplate(ctx); err != nil {
		return fmt.Errorf("template of the demonstration: %w", err)
	}
	err := d.statements(ctx, "DROP DATABASE IF EXISTS "+nextDatabase+" WITH (FORCE)",
		"CREATE DATABASE "+nextDatabase+" TEMPLATE "+templateDatabase+" STRATEGY file_copy", hurry(nextDatabase))
	if err != nil {
		return err
	}
	return d.in(ctx, nextDatabase, func(a *app.App) error { return a.SeedToday(ctx, d.options()) })
}

// ensureTemplate makes the template if there is none of today and of this program.
func (d *demonstration) ensureTemplate(ctx context.Context) error {
	key := d.key()
	var found *string
	err := d.administer(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT max(shobj_description(oid, 'pg_database')) FROM pg_database WHERE datname = $1`, templateDatabase).Scan(&found)
	})
	if err != nil || found != nil && *found == key {
		return err
	}
	begun := d.clock.Now()
	d.phase(fmt.Sprintf("writing a history of %d days", d.Days))
	err = d.statements(ctx, "DROP DATABASE IF EXISTS "+buildDatabase+" WITH (FORCE)", "CREATE DATABASE "+buildDatabase, hurry(buildDatabase))
	if err != nil {
		return err
	}
	err = d.in(ctx, buildDatabase, func(a *app.App) error { return d.fill(ctx, a) })
	if err != nil {
		return err
	}
	err = d.statements(ctx, "DROP DATABASE IF EXISTS "+templateDatabase+" WITH (FORCE)",
		"ALTER DATABASE "+buildDatabase+" RENAME TO "+templateDatabase,
		"COMMENT ON DATABASE "+templateDatabase+" IS '"+key+"'")
	if err == nil {
		d.phase(fmt.Sprintf("the history is written in %.0f s", d.clock.Now().Sub(begun).Seconds()))
	}
	return err
}

// fill writes the operator and its history.
func (d *demonstration) fill(ctx context.Context, a *app.App) error {
	if err := a.SeedOperator(ctx, operator()); err != nil {
		return err
	}
	if err := a.SeedVolume(ctx, d.options()); err != nil {
		return err
	}
	d.phase("closing the days and drafting the last week")
	return a.SeedCloses(ctx)
}

// swap puts the prepared database in the place of the one of the round before, and empties Redis and the object store. No
// role runs.
func (d *demonstration) swap(ctx context.Context) error {
	name, err := d.name()
	if err != nil {
		return err
	}
	quoted := pgx.Identifier{name}.Sanitize()
	err = d.statements(ctx, "DROP DATABASE IF EXISTS "+quoted+" WITH (FORCE)", "ALTER DATABASE "+nextDatabase+" RENAME TO "+quoted)
	if err != nil {
		return err
	}
	return errors.Join(d.emptyRedis(ctx), d.emptyObjects(ctx, name))
}

func (d *demonstration) emptyRedis(ctx context.Context) error {
	client, err := storage.OpenRedis(ctx, d.platform.Stack.RedisURL)
	if err != nil {
		return err
	}
	return errors.Join(client.FlushAll(ctx).Err(), client.Close())
}

// emptyObjects deletes the objects of both buckets.
func (d *demonstration) emptyObjects(ctx context.Context, owner string) error {
	for _, private := range []bool{false, true} {
		objects, err := storage.NewObjects(app.BucketOptions(d.platform.Config, private, owner, d.log))
		if err != nil {
			return err
		}
		err = errors.Join(objects.Prepare(ctx), deleteAll(ctx, objects))
		objects.Close()
		if err != nil {
			return fmt.Errorf("empty the object store: %w", err)
		}
	}
	return nil
}

func deleteAll(ctx context.Context, objects *storage.Objects) error {
	for {
		keys, err := objects.Keys(ctx, "")
		if err != nil || len(keys) == 0 {
			return err
		}
		for _, key := range keys {
			if err := objects.Delete(ctx, key); err != nil {
				return err
			}
		}
	}
}
