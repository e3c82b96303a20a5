package activity

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"banca/storage"
)

// linkBatch bounds the entries that one transaction links, and so the time that another run waits for it.
const linkBatch = 200

// Link appends committed entries to the chain and returns their number. Entries are linked in the order in which Link
// finds them committed, so one that commits late is linked late. It is idempotent and may run in many processes.
func (s *Service) Link(ctx context.Context) (int, error) {
	for done := 0; ; {
		var linked int
		err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
			// The next statement sees the entries that an earlier run has linked.
			if err := tx.Exec(`SELECT FROM activity_chain FOR UPDATE`).Error; err != nil {
				return err
			}
			return tx.Raw(`SELECT activity_link_pending(?)`, linkBatch).Scan(&linked).Error
		})
		if err != nil {
			return done, fmt.Errorf("link activity log: %w", err)
		}
		if done += linked; linked < linkBatch {
			return done, nil
		}
	}
}

// lockEntry lets one transaction at a time amend an entry, so that of two removals at once one finds the other.
func lockEntry(tx *gorm.DB, key int32) error { return tx.Exec(storage.LockLogEntry.KeySQL(key)).Error }
