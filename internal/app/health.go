package app

import (
	"context"
	"errors"

	"banca/internal/platform/config"
	"banca/internal/platform/health"
	"banca/scheduler"
	"banca/storage"
)

// absentObject is asked for by the check of the object store, which answers that it does not exist.
const absentObject = "public/health"

// newMonitor returns the monitor of an api process.
func (a *App) newMonitor() *health.Monitor {
	books := &health.Books{Pool: a.stores.pg.Pool, Messages: a.messageFigures, Leader: scheduler.Leads, Months: a.monthFigures}
	dependencies := []health.Dependency{
		{Name: "postgres", Required: true, Check: a.stores.pg.Ping},
		{Name: "redis", Required: true, Check: a.pingRedis},
		{Name: "schema", Required: true, Check: a.checkSchema},
		{Name: "objects", Check: a.pingObjects}, // not required: tickets are sold without it
	}
	if a.stores.replica != nil {
		dependencies = append(dependencies, health.Dependency{Name: "replica", Check: a.stores.replica.Check}) // reports are read from the primary without it
	}
	probes := []health.Probe{
		books.Probe(), books.SizeProbe(), health.QueueProbe(a.stores.redis, a.clock), health.RedisProbe(a.stores.redis),
		health.DiskProbe(a.cfg.DataDir), health.ModelsProbe(a.services.chain.Cooling),
	}
	if a.mode != config.ModeDev { // whose users have the password of the seed
		probes = append(probes, health.PasswordProbe(a.seededPasswords))
	}
	return health.New(health.Options{
		Clock: a.clock, Log: a.log, Version: a.cfg.Version(), Dependencies: dependencies, Probes: probes,
		Requests: a.recentRequests, RequestLog: a.requestLog,
	})
}

// checkSchema reports whether the database has the tables of this release.
func (a *App) checkSchema(ctx context.Context) error {
	return storage.CheckSchema(ctx, a.stores.pg.Pool)
}

// monthFigures reads the partitions of the tables of sales.
func (a *App) monthFigures(ctx context.Context, q storage.RowQuerier) (health.Months, error) {
	s, err := a.services.months.State(ctx, q)
	return health.Months(s), err
}

// pingObjects reports whether the object store answers for the bucket.
func (a *App) pingObjects(ctx context.Context) error {
	_, _, err := a.stores.objects.Get(ctx, absentObject)
	if errors.Is(err, storage.ErrObjectNotFound) {
		return nil
	}
	return err
}

// recentRequests returns the requests of this process by route.
func (a *App) recentRequests() []health.Request {
	recent := a.requests.Recent()
	all := make([]health.Request, len(recent))
	for i := range recent {
		e := &recent[i]
		all[i] = health.Request{At: e.At, Method: e.Method, Route: e.Route, Status: e.Status, Took: e.Took}
	}
	return all
}

// requestLog is the state of the request log of this process.
func (a *App) requestLog() health.Log {
	s := a.requests.Stats()
	return health.Log{
		Buffered: s.Buffered, Dropped: s.Dropped, DroppedAt: s.DroppedAt, WrittenAt: s.WrittenAt,
		WriteFailed: s.WriteFailed,
	}
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
