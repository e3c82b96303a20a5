package risk_test

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
)

// What a reservation and its confirmation cost the process and its Redis, one server and a cluster of three masters in turn: the lines of a sale are
// on one draw, or each on another.
func BenchmarkReserve(b *testing.B) {
	const rounds, lines, parallel = 3, 4, 8
	server, cluster := testkit.StartRedisNode(b), testkit.StartRedisCluster(b, false)
	kinds := []struct {
		name  string
		nodes []*testkit.RedisNode
		*engine
	}{
		{"server", []*testkit.RedisNode{server}, setup(b)},
		{"cluster", cluster.Masters, setup(b)},
	}
	kinds[0].on(b, "redis://"+server.Addr)
	kinds[1].on(b, cluster.URL)
	for i := range kinds {
		for len(kinds[i].draws) < 2*lines {
			kinds[i].draws = append(kinds[i].draws, kinds[i].addDraw(b))
		}
		_, err := kinds[i].Sweep(b.Context())
		require.NoError(b, err)
	}
	for range rounds {
		for i := range kinds {
			k := &kinds[i]
			for name, draws := range map[string]int{"one": 1, "each": lines} {
				b.Run(k.name+"/"+name, func(b *testing.B) {
					b.SetParallelism(parallel)
					process, redis := processCPU(b), redisCPU(b, k.nodes)
					b.RunParallel(func(pb *testing.PB) {
						for n := 0; pb.Next(); n++ {
							req := k.request(1)
							for line := range lines {
								req.Lines = append(req.Lines, k.request(1, k.draws[(n+line%draws)%len(k.draws)]).Lines...)
								req.Lines[line].Item, req.Lines[line].Selection = line, strconv.Itoa(line)
							}
							held, err := k.Reserve(b.Context(), req)
							if err == nil {
								err = k.Confirm(b.Context(), held)
							}
							if err != nil {
								b.Error(err)
								return
							}
						}
					})
					perOp := func(spent time.Duration) float64 { return float64(spent.Microseconds()) / float64(b.N) }
					b.ReportMetric(perOp(processCPU(b)-process), "process-µs/op")
					b.ReportMetric(perOp(redisCPU(b, k.nodes)-redis), "redis-µs/op")
				})
			}
		}
	}
}

// processCPU is what this process has used.
func processCPU(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// redisCPU is what servers have used.
func redisCPU(b *testing.B, nodes []*testkit.RedisNode) (used time.Duration) {
	b.Helper()
	for _, n := range nodes {
		info, err := n.Client.Info(b.Context(), "cpu").Result()
		require.NoError(b, err)
		for line := range strings.Lines(info) {
			if name, value, _ := strings.Cut(strings.TrimSpace(line), ":"); name == "used_cpu_user" || name == "used_cpu_sys" {
				seconds, err := strconv.ParseFloat(value, 64)
				require.NoError(b, err)
				used += time.Duration(seconds * float64(time.Second))
			}
		}
	}
	return used
}
