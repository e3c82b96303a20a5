package activity

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"
)

// Proof is the result of walking the chain.
type Proof struct {
	Entries  int64  // that are linked
	Broken   int64  // entries that are changed, out of place or whose predecessor is missing
	Head     string // hash of the last linked entry, hex; kept elsewhere it proves everything before it
	Unlinked int64  // entries that are not linked yet; nothing but the triggers of the table protects them
	Late     int64  // of those, entries that should have been linked long ago
}

// LinkWithin is the age from which an unlinked entry is late: far more than a tick of the task and a transaction last.
const LinkWithin = 10 * time.Minute

// String returns the number of entries, the last hash, and the number of entries not linked yet.
func (p Proof) String() string {
	return fmt.Sprintf("%d entries up to %s, %d not linked yet", p.Entries, p.Head, p.Unlinked)
}

// Verify recomputes the chain from its beginning to its head. It changes nothing. Late entries break no invariant: the
// chain is proven up to its head, and the task links them when it runs again.
func (s *Service) Verify(ctx context.Context) (Proof, error) {
	var p Proof
	var head []byte
	err := s.pg.Pool.QueryRow(ctx, `
		WITH linked AS (
			SELECT l.seq, l.hash, l.prev_hash, activity_hash(l) AS real, lag(l.hash, 1, sha256('banca activity log')) OVER w AS before,
				row_number() OVER w AS place
			FROM activity_logs l WHERE l.seq IS NOT NULL WINDOW w AS (ORDER BY l.seq)
		), last AS (SELECT coalesce(max(seq), 0) AS seq, count(seq) AS entries, count(*) FILTER (WHERE seq IS NULL) AS unlinked,
			count(*) FILTER (WHERE seq IS NULL AND at < clock_timestamp() - make_interval(secs => $1)) AS late FROM activity_logs)
		SELECT last.entries, last.unlinked, last.late, chain.hash,
			(SELECT count(*) FROM linked WHERE hash <> real OR prev_hash <> before OR seq <> place)
			+ CASE WHEN chain.seq IS DISTINCT FROM last.seq OR chain.hash IS DISTINCT FROM coalesce((SELECT hash FROM activity_logs l WHERE l.seq = last.seq), sha256('banca activity log'))
				THEN 1 ELSE 0 END
		FROM last LEFT JOIN activity_chain chain ON true`, LinkWithin.Seconds()).Scan(&p.Entries, &p.Unlinked, &p.Late, &head, &p.Broken)
	if err != nil {
		return Proof{}, fmt.Errorf("verify activity log: %w", err)
	}
	p.Head = hex.EncodeToString(head)
	return p, nil
}
