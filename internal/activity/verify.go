package activity

import (
	"context"
	"encoding/hex"
	"fmt"
)

// Proof is the result of walking the chain.
type Proof struct {
	Entries int64
	Broken  int64  // entries that are changed, out of place or whose predecessor is missing
	Head    string // hash of the last entry, hex; kept elsewhere it proves everything before it
}

// String names what was proven: how many entries, up to which hash.
func (p Proof) String() string { return fmt.Sprintf("%d entries up to %s", p.Entries, p.Head) }

// Verify recomputes the chain from its beginning. It changes nothing.
func (s *Service) Verify(ctx context.Context) (Proof, error) {
	var row struct {
		Entries, Broken int64
		Head            []byte
	}
	err := s.db.WithContext(ctx).Raw(`
		WITH linked AS (
			SELECT l.seq, l.hash, l.prev_hash, activity_hash(l) AS real, lag(l.hash, 1, sha256('banca activity log')) OVER w AS before,
				row_number() OVER w AS place
			FROM activity_logs l WINDOW w AS (ORDER BY l.seq)
		), last AS (SELECT coalesce(max(seq), 0) AS seq, count(*) AS entries FROM activity_logs)
		SELECT last.entries, chain.hash AS head,
			(SELECT count(*) FROM linked WHERE hash <> real OR prev_hash <> before OR seq <> place)
			+ CASE WHEN chain.seq IS DISTINCT FROM last.seq OR chain.hash IS DISTINCT FROM coalesce((SELECT hash FROM activity_logs l WHERE l.seq = last.seq), sha256('banca activity log'))
				THEN 1 ELSE 0 END AS broken
		FROM last LEFT JOIN activity_chain chain ON true`).Scan(&row).Error
	if err != nil {
		return Proof{}, fmt.Errorf("verify activity log: %w", err)
	}
	return Proof{Entries: row.Entries, Broken: row.Broken, Head: hex.EncodeToString(row.Head)}, nil
}
