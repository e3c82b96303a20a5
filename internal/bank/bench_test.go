package bank

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkNotifications is the domain without HTTP and without fsync, 32 at a time: for profiles. What counts
// is measured by `banca-dev bench`.
func BenchmarkNotifications(b *testing.B) {
	s := setup(b, func(o *Options) { o.CallLimit = 1 << 30 })
	_, err := s.PG.Pool.Exec(b.Context(), `INSERT INTO payment_requests (id, origin, entity_id, wallet_id, currency_id, client_number, client_phone, amount, expires_at, created_at)
		SELECT gen_random_uuid(), 'manual', w.entity_id, w.id, w.currency_id, '1', '+584149998877', n, $3, $3
		FROM wallets w, generate_series(1, $1) n WHERE w.entity_id = $2 AND w.kind = 'main' AND w.currency_id = (SELECT id FROM currencies WHERE code = 'VES')`,
		b.N+1, pointID(), s.Clock.Now().AddDate(1, 0, 0))
	require.NoError(b, err)
	_, err = s.PG.Pool.Exec(b.Context(), `ANALYZE payment_requests`)
	require.NoError(b, err)
	var n atomic.Int64
	b.SetParallelism(16)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := n.Add(1)
			body := fmt.Sprintf(`{"Referencia":"%010d","BancoEmisor":"0134","Monto":"%d.%02d","CodigoRed":"00","TelefonoEmisor":"04149998877"}`, i, i/100, i%100)
			if reply := s.Answer(b.Context(), call(PhaseNotification, body)); string(reply.Body) != `{"abono":true}` {
				b.Errorf("%d: %d %s", i, reply.Status, reply.Body)
				return
			}
		}
	})
}
