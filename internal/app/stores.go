package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"banca/internal/config"
	"banca/storage"
)

// closeTimeout bounds the wait for connections in use when the process ends.
const closeTimeout = 10 * time.Second

// stores are the connections to Postgres, Redis and the object store.
type stores struct {
	pg      *storage.Postgres
	redis   redis.UniversalClient
	objects *storage.Objects
}

func openStores(ctx context.Context, cfg *config.Config, log *slog.Logger) (*stores, error) {
	s := &stores{}
	var err error
	s.pg, err = storage.OpenPostgres(ctx, storage.PostgresOptions{URL: cfg.Postgres.DatabaseURL.Reveal(), MaxConns: cfg.Postgres.MaxConns, Logger: log})
	if err != nil {
		return nil, err
	}
	if s.redis, err = storage.OpenRedis(ctx, cfg.Redis.RedisURL.Reveal()); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.objects, err = storage.OpenObjects(ctx, storage.ObjectsOptions{
		Endpoint: cfg.Objects.Endpoint, AccessKey: cfg.Objects.AccessKey.Reveal(), SecretKey: cfg.Objects.SecretKey.Reveal(),
		Bucket: cfg.Objects.Bucket, PublicURL: cfg.Objects.ObjectPublicURL,
	})
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// close ends the connections; one still in use is waited for, but not for ever.
func (s *stores) close() error {
	done := make(chan error, 1)
	go func() {
		var errs []error
		if s.objects != nil {
			s.objects.Close()
		}
		if s.redis != nil {
			errs = append(errs, s.redis.Close())
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

func (a *App) pingRedis(ctx context.Context) error { return a.stores.redis.Ping(ctx).Err() }
