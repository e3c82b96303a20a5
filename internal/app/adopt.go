package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/closes"
	"banca/internal/platform/config"
	"banca/internal/platform/feed"
	"banca/internal/rollup"
	"banca/storage"
)

// ErrOwnCluster reports that no row has an id of another cluster's transactions.
var ErrOwnCluster = errors.New("the transactions are of this cluster: there is nothing to adopt")

// AdoptCluster prepares a database that was restored from a dump for the cluster of Postgres that it is in now: ids of
// transactions belong to a cluster, and closes and feeds compare them. It needs the owner of the tables, and writes all
// changes and an entry of the activity log in one transaction. Errors: ErrOwnCluster, feed.ErrArchivedRows.
func AdoptCluster(ctx context.Context, cfg *config.Config, log *slog.Logger) (err error) {
	pg, err := storage.OpenPostgres(ctx, storage.PostgresOptions{
		URL: cmp.Or(cfg.Postgres.DirectURL, cfg.Postgres.DatabaseURL).Reveal(), MaxConns: cfg.Postgres.MaxConns,
		Logger: log,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pg.Close()) }()
	if err := storage.CheckSchema(ctx, pg.Pool); err != nil {
		return err
	}
	if err := pg.InTx(ctx, func(tx pgx.Tx) error { return adoptTx(ctx, tx) }); err != nil {
		return err
	}
	log.InfoContext(ctx, "the database belongs to this cluster; the next runs count everything again")
	return nil
}

func adoptTx(ctx context.Context, tx pgx.Tx) error {
	if err := storage.WithoutStatementTimeout(ctx, tx); err != nil {
		return err
	}
	foreignFeeds, err := feed.IsForeign(ctx, tx)
	if err != nil {
		return err
	}
	foreignCloses, err := closes.IsForeign(ctx, tx)
	if err != nil {
		return err
	}
	if !foreignFeeds && !foreignCloses {
		return ErrOwnCluster
	}
	if err := closes.AdoptTx(ctx, tx); err != nil {
		return err
	}
	if err := rollup.AdoptTx(ctx, tx); err != nil {
		return err
	}
	return activity.RecordOperatorTx(ctx, tx, activity.Entry{Action: activity.ClosesAdoptCluster})
}
