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
	id       uuid.UUID
	source   string // "typed" for a person's
	outcome  catalog.Outcome
	waits    bool // it is fetched and still proposed
	byPerson bool // a person rejected it
}

// reportsOf lists all results that were stored of a draw: results of sources, retracted ones included, and results that
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
		err := row.Scan(&o.id, &o.source, &o.outcome.Value, &o.outcome.Sign, &o.outcome.Wildcard, &o.outcome.Flags, &o.waits, &o.byPerson)
		return o, err
	})
}

// file proposes the result of a source and adds it to the known ones. An earlier, different result of the source is
// rejected; a result that a person rejected is not proposed again.
func (in *intake) file(ctx context.Context, tx pgx.Tx, known []report, f *lottery.Fetched) ([]report, error) {
	reported := outcomeOf(f)
	for i := range known {
		o := &known[i]
		if o.source != f.Source {
			continue
		}
		if same := o.outcome.Equal(&reported); same && (o.waits || o.byPerson) {
			return known, nil
		}
		if !o.waits {
			continue
		}
		_, err := tx.Exec(ctx, `UPDATE results SET status = $2, closed_at = $3, reason = 'the source tells another result now' WHERE id = $1`,
			o.id, models.ResultRejected, in.now)
		if err != nil {
			return known, fmt.Errorf("withdraw result: %w", err)
		}
		o.waits = false
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
	return append(known, report{id: r.ID, source: f.Source, outcome: reported, waits: true}), nil
}

// choose returns the result that the policy verifies, or nil. known is unanimous.
func choose(known []report, cfg *lottery.Config) *report {
	var first *report
	agree := 0
	for i := range known {
		o := &known[i]
		source := cfg.Source(o.source)
		if !o.waits || source == nil {
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
