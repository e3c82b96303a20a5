package draws

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/internal/lottery"
	"banca/models"
)

// report is a result of a draw from a source, or one that a person typed and that is not verified yet.
type report struct {
	id               uuid.UUID
	source           string // "typed" for a typed one
	outcome          catalog.Outcome
	proposed         bool // it is fetched and still proposed
	rejectedByPerson bool // a person rejected it
}

// reportsOf returns all results of sources that were stored for a draw, also rejected ones, and the typed results that
// await a second person.
func reportsOf(ctx context.Context, tx pgx.Tx, draw uuid.UUID) ([]report, error) {
	rows, err := tx.Query(ctx, `SELECT id, CASE WHEN origin = $2 THEN source ELSE 'typed' END, value, sign, wildcard, flags,
			origin = $2 AND status = $3, status = $4 AND closed_by IS NOT NULL
		FROM results WHERE draw_id = $1 AND (origin = $2 OR origin = $5 AND status = $3) ORDER BY version`,
		draw, models.ResultFetched, models.ResultProposed, models.ResultRejected, models.ResultTyped)
	if err != nil {
		return nil, fmt.Errorf("results of the draw: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (report, error) {
		var o report
		err := row.Scan(&o.id, &o.source, &o.outcome.Value, &o.outcome.Sign, &o.outcome.Wildcard, &o.outcome.Flags, &o.proposed, &o.rejectedByPerson)
		return o, err
	})
}

// propose inserts the result of a source and returns known with it. It rejects an earlier, different result of the
// source. A result that a person rejected is not proposed again.
func (in *intake) propose(ctx context.Context, tx pgx.Tx, known []report, f *lottery.Fetched) ([]report, error) {
	reported := outcomeOf(f)
	for i := range known {
		o := &known[i]
		if o.source != f.Source {
			continue
		}
		if same := o.outcome.Equal(&reported); same && (o.proposed || o.rejectedByPerson) {
			return known, nil
		}
		if !o.proposed {
			continue
		}
		_, err := tx.Exec(ctx, `UPDATE results SET status = $2, closed_at = $3, reason = 'the source reports another result now' WHERE id = $1`,
			o.id, models.ResultRejected, in.now)
		if err != nil {
			return known, fmt.Errorf("reject result: %w", err)
		}
		o.proposed = false
	}
	evidence, err := evidenceOf(f)
	if err != nil {
		return known, err
	}
	r, err := insertResult(ctx, tx, &proposal{
		draw: in.draw, outcome: reported, origin: models.ResultFetched, source: f.Source, evidence: evidence, at: in.now,
	})
	if err != nil {
		return known, err
	}
	in.fresh = true
	return append(known, report{id: r.ID, source: f.Source, outcome: reported, proposed: true}), nil
}

// choose returns the result that the policy accepts, or nil. All of known are equal.
func choose(known []report, cfg *lottery.Config) *report {
	var first *report
	agree := 0
	for i := range known {
		o := &known[i]
		source := cfg.Source(o.source)
		if !o.proposed || source == nil {
			continue
		}
		if cfg.Verify.Policy == lottery.PolicyTrusted && source.Trusted {
			return o
		}
		if agree++; first == nil {
			first = o
		}
	}
	if cfg.Verify.Policy == lottery.PolicyAgree && agree >= cfg.Verify.Sources {
		return first
	}
	return nil
}
