package app

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// poolCollector reads the pools of connections to Postgres and Redis.
type poolCollector struct {
	stores                     *stores
	connections, waits, waited *prometheus.Desc
	lag, used                  *prometheus.Desc // of the replica
}

func newPoolCollector(s *stores) *poolCollector {
	return &poolCollector{
		stores:      s,
		connections: prometheus.NewDesc("banca_pool_connections", "Connections to Postgres and Redis.", []string{"pool", "state"}, nil),
		waits:       prometheus.NewDesc("banca_pool_waits_total", "Times that a connection was waited for.", []string{"pool"}, nil),
		waited:      prometheus.NewDesc("banca_pool_wait_seconds_total", "How long connections were waited for.", []string{"pool"}, nil),
		lag:         prometheus.NewDesc("banca_replica_lag_seconds", "How old the data of the replica are.", nil, nil),
		used:        prometheus.NewDesc("banca_replica_used", "1 if reports read the replica, 0 if they read the primary.", nil, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *poolCollector) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, to) }

// Collect implements prometheus.Collector.
func (c *poolCollector) Collect(to chan<- prometheus.Metric) {
	c.postgres(to, "postgres", c.stores.pg.Pool.Stat())
	c.postgres(to, "postgres_commits", c.stores.pg.Commits.Stat())
	if r := c.stores.replica; r != nil {
		c.postgres(to, "postgres_reports", r.Postgres().Pool.Stat())
		state := r.State()
		to <- prometheus.MustNewConstMetric(c.lag, prometheus.GaugeValue, state.Lag.Seconds())
		to <- prometheus.MustNewConstMetric(c.used, prometheus.GaugeValue, map[bool]float64{true: 1}[state.Used])
	}
	redis := c.stores.redis.PoolStats()
	c.size(to, "redis", "used", int64(redis.TotalConns)-int64(redis.IdleConns))
	c.size(to, "redis", "idle", int64(redis.IdleConns))
	c.wait(to, "redis", float64(redis.WaitCount), float64(redis.WaitDurationNs)/1e9)
}

func (c *poolCollector) postgres(to chan<- prometheus.Metric, pool string, s *pgxpool.Stat) {
	c.size(to, pool, "used", int64(s.AcquiredConns()))
	c.size(to, pool, "idle", int64(s.IdleConns()))
	c.size(to, pool, "most", int64(s.MaxConns()))
	c.wait(to, pool, float64(s.EmptyAcquireCount()), s.EmptyAcquireWaitTime().Seconds())
}

func (c *poolCollector) size(to chan<- prometheus.Metric, pool, state string, n int64) {
	to <- prometheus.MustNewConstMetric(c.connections, prometheus.GaugeValue, float64(n), pool, state)
}

func (c *poolCollector) wait(to chan<- prometheus.Metric, pool string, times, seconds float64) {
	to <- prometheus.MustNewConstMetric(c.waits, prometheus.CounterValue, times, pool)
	to <- prometheus.MustNewConstMetric(c.waited, prometheus.CounterValue, seconds, pool)
}
