package app

import (
	"context"
	"errors"

	"banca/internal/health"
	"banca/scheduler"
	"banca/storage"
)

// absentObject is asked for by the check of the object store, which answers that it does not exist.
const absentObject = "public/health"

// newMonitor returns the monitor of an api process.
func (a *App) newMonitor() *health.Monitor {
	books := &health.Books{Pool: a.stores.pg.Pool, Messages: a.messageFigures, Leader: scheduler.Leads}
	return health.New(health.Options{
		Clock: a.clock, Log: a.log, Version: a.cfg.Version(),
		Dependencies: []health.Dependency{
			{Name: "postgres", Required: true, Check: a.stores.pg.Ping},
			{Name: "redis", Required: true, Check: a.pingRedis},
			{Name: "objects", Check: a.pingObjects}, // not required: tickets are sold without it
		},
		Probes: []health.Probe{
			books.Probe(), books.SizeProbe(), health.QueueProbe(a.stores.redis, a.clock), health.RedisProbe(a.stores.redis),
			health.DiskProbe(a.cfg.DataDir), health.ModelsProbe(a.services.chain.Cooling),
		},
	})
}

// pingObjects reports whether the object store answers for the bucket.
func (a *App) pingObjects(ctx context.Context) error {
	_, _, err := a.stores.objects.Get(ctx, absentObject)
	if errors.Is(err, storage.ErrObjectNotFound) {
		return nil
	}
	return err
}

// messageFigures reads the messages and the connections to their providers.
func (a *App) messageFigures(ctx context.Context, q storage.RowQuerier) (health.Messages, error) {
	m, err := a.services.messaging.Health(ctx, q)
	if err != nil {
		return health.Messages{}, err
	}
	all, closed, err := a.services.connections.Health(ctx, q)
	return health.Messages{Waiting: m.Waiting, OldestAt: m.OldestAt, Failed: m.Failed, Paused: m.Paused, Channels: all, Closed: closed}, err
}
