package activity

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// linkBatch bounds the entries that one transaction links, and so the time that another run waits for it.
const linkBatch = 200

// Link appends committed entries to the chain and returns their number. Entries are linked in the order in which Link
// finds them committed, so one that commits late is linked late. It is idempotent and may run in many processes.
func (s *Service) Link(ctx context.Context) (int, error) {
	for done := 0; ; {
		var linked int
		err := s.pg.InTx(ctx, func(tx pgx.Tx) error {
			// The next statement sees the entries that an earlier run has linked.
			if _, err := tx.Exec(ctx, `SELECT FROM activity_chain FOR UPDATE`); err != nil {
				return err
			}
			return tx.QueryRow(ctx, `SELECT activity_link_pending($1)`, linkBatch).Scan(&linked)
		})
		if err != nil {
			return done, fmt.Errorf("link activity log: %w", err)
		}
		if done += linked; linked < linkBatch {
			return done, nil
		}
	}
}
