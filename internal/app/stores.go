package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"banca/internal/platform/config"
	"banca/storage"
)

const (
	closeTimeout   = 10 * time.Second // for connections in use when the process ends
	prepareTimeout = 10 * time.Second // for the object store to answer at the start
)

// stores are the connections to Postgres, Redis and the object store.
type stores struct {
	pg      *storage.Postgres
	replica *storage.Replica // nil without one
	redis   redis.UniversalClient
	objects *storage.Objects
	private *storage.Objects // of documents
}

func openStores(ctx context.Context, cfg *config.Config, mode config.Mode, log *slog.Logger) (*stores, error) {
	s := &stores{}
	var err error
	s.pg, err = storage.OpenPostgres(ctx, storage.PostgresOptions{
		URL: cfg.Postgres.DatabaseURL.Reveal(), Direct: cfg.Postgres.DirectURL.Reveal(), MaxConns: cfg.Postgres.MaxConns, Logger: log,
	})
	if err != nil {
		return nil, err
	}
	if address := cfg.Postgres.ReplicaURL.Reveal(); address != "" {
		s.replica, err = storage.NewReplica(ctx, s.pg, storage.ReplicaOptions{URL: address, MaxLag: cfg.Postgres.ReplicaLag, MaxConns: cfg.Postgres.ReplicaConns, Logger: log})
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	if s.redis, err = storage.OpenRedis(ctx, cfg.Redis.RedisURL.Reveal()); err != nil {
		return nil, errors.Join(err, s.close())
	}
	owner := s.pg.Pool.Config().ConnConfig.Database // stays the same when the database is restored
	if s.objects, err = storage.NewObjects(BucketOptions(cfg, false, owner, log)); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.private, err = storage.NewObjects(BucketOptions(cfg, true, owner, log))
	if err == nil && (cfg.ObjectsDir != "" || cfg.Objects.ManageBuckets && storesObjects(mode)) { // a folder is claimed by each process
		err = s.prepareObjects(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// storesObjects reports whether a process of this mode needs the object store to do its work, and makes its buckets.
// The others start, and sell, while it is away: they draw a receipt that is asked for, and attach no documents.
func storesObjects(mode config.Mode) bool {
	return mode == config.ModeDev || mode == config.ModeServe || mode == config.Mode(RoleWorker)
}

func (s *stores) prepareObjects(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, prepareTimeout)
	defer cancel()
	return errors.Join(s.objects.Prepare(ctx), s.private.Prepare(ctx))
}

// close closes the connections; it waits a bounded time for those in use.
func (s *stores) close() error {
	done := make(chan error, 1)
	go func() {
		var errs []error
		for _, bucket := range []*storage.Objects{s.objects, s.private} {
			if bucket != nil {
				bucket.Close()
			}
		}
		if s.redis != nil {
			errs = append(errs, s.redis.Close())
		}
		if s.replica != nil {
			s.replica.Close()
		}
		if s.pg != nil {
			errs = append(errs, s.pg.Close())
		}
		done <- errors.Join(errs...)
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(closeTimeout):
		return errors.New("connections were still in use at the end")
	}
}

// reading returns the database of reads that may be some seconds old.
func (s *stores) reading() *storage.Postgres {
	if s.replica == nil {
		return s.pg
	}
	return s.replica.Postgres()
}

func (a *App) pingRedis(ctx context.Context) error { return a.stores.redis.Ping(ctx).Err() }
