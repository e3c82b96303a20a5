package draws

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/catalog"
	"banca/internal/drawstate"
	"banca/internal/lottery"
	"banca/internal/platform/apperr"
	"banca/models"
)

// intake processes the answers of one attempt while the draw is locked.
type intake struct {
	service  *Service
	attempt  *attempt
	fetched  []lottery.Fetched
	now      time.Time
	draw     *draw
	fresh    bool    // a result was proposed that was not known before
	verified *Result // the result that the policy verified
}

// maxDetail bounds the stored text of a failure, in bytes.
const maxDetail = 500

// process stores every answer, and compares it with the verified result or proposes and verifies results.
func (in *intake) process(ctx context.Context, tx pgx.Tx) error {
	if in.attempt.configErr != nil {
		detail := "api_config: " + detailsText(in.attempt.configErr)
		if err := in.service.alertTx(ctx, tx, in.draw.ID, models.AlertMalformed, models.Clip(detail, maxDetail)); err != nil {
			return err
		}
	}
	for i := range in.fetched {
		if err := in.storeAnswer(ctx, tx, &in.fetched[i]); err != nil {
			return err
		}
	}
	if in.draw.ResultID != uuid.Nil {
		return in.compare(ctx, tx)
	}
	err := in.draw.mayHaveResult(in.now)
	switch {
	case errors.Is(err, ErrSuspended):
		return drawstate.StopPollTx(ctx, tx, in.draw.ID)
	case err != nil: // the draw was polled too early
		return in.pollLater(ctx, tx)
	}
	return in.decide(ctx, tx)
}

// storeAnswer validates an answer against the game and stores it. A repeated answer is only counted. The first of equal
// malformed answers adds an alert.
func (in *intake) storeAnswer(ctx context.Context, tx pgx.Tx, f *lottery.Fetched) error {
	if f.Err == nil {
		checked, location, message := in.attempt.game.CheckOutcome(outcomeOf(f))
		if message != "" {
			f.Err = lottery.ErrMalformed.WithCause(errors.New(location + " " + string(message)))
		}
		f.Value, f.Sign, f.Wildcard, f.Flags = checked.Value, checked.Sign, checked.Wildcard, checked.Flags
	}
	outcome, detail := classifyFetch(f.Err)
	digest := sha256.Sum256([]byte(fmt.Sprintf("%s|%d|%s|%s", outcome, f.Evidence.Status, detail, f.Evidence.SHA256)))
	var repeats int
	err := tx.QueryRow(ctx, `INSERT INTO result_fetches (id, draw_id, source, digest, outcome, url, status_code, body, detail, duration_ms, fetched_at, last_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
		ON CONFLICT (draw_id, source, digest) DO UPDATE SET repeats = result_fetches.repeats + 1, last_at = excluded.last_at RETURNING repeats`,
		uuid.Must(uuid.NewV7()), in.draw.ID, f.Source, digest[:], outcome, f.Evidence.URL, f.Evidence.Status,
		[]byte(f.Evidence.Body), detail,
		f.Evidence.Duration.Milliseconds(), f.Evidence.FetchedAt).Scan(&repeats)
	if err != nil {
		return fmt.Errorf("store answer: %w", err)
	}
	if repeats == 0 && errors.Is(f.Err, lottery.ErrMalformed) {
		return in.service.alertTx(ctx, tx, in.draw.ID, models.AlertMalformed, f.Source+": "+detail)
	}
	return nil
}

func outcomeOf(f *lottery.Fetched) catalog.Outcome {
	return catalog.Outcome{Value: f.Value, Sign: f.Sign, Wildcard: f.Wildcard, Flags: f.Flags}
}

// classifyFetch returns the outcome of a call as stored in result_fetches, and the cause of a failure.
func classifyFetch(err error) (outcome, detail string) {
	for target, name := range map[error]string{
		lottery.ErrNotYet: "not_yet", lottery.ErrUnavailable: "unavailable", lottery.ErrMalformed: "malformed",
		lottery.ErrRefused: "refused", lottery.ErrConfig: "config",
	} {
		if errors.Is(err, target) {
			cause := errors.Unwrap(apperr.From(err))
			if cause == nil {
				return name, ""
			}
			return name, models.Clip(cause.Error(), maxDetail)
		}
	}
	if err != nil {
		return "failed", models.Clip(err.Error(), maxDetail)
	}
	return "result", ""
}

// detailsText returns the details of an invalid api_config as one line.
func detailsText(err error) string {
	var list []string
	for _, d := range apperr.From(err).Details {
		list = append(list, d.Location+" "+string(d.Message))
	}
	return strings.Join(list, "; ")
}

// compare adds an alert if a source differs from the verified result. It does not change the result: only a person
// corrects it.
func (in *intake) compare(ctx context.Context, tx pgx.Tx) error {
	current, err := resultBy(ctx, tx, `WHERE r.id = $1`, in.draw.ResultID)
	if err != nil {
		return err
	}
	for i := range in.fetched {
		f := &in.fetched[i]
		if reported := outcomeOf(f); f.Err == nil && !reported.Equal(&current.Outcome) {
			detail := f.Source + ": " + reported.String() + verifiedMark + current.Outcome.String()
			if err := in.service.alertTx(ctx, tx, in.draw.ID, models.AlertDiffers, models.Clip(detail, maxDetail)); err != nil {
				return err
			}
		}
	}
	return drawstate.StopPollTx(ctx, tx, in.draw.ID)
}

// decide proposes the results of the sources. If all agree and the policy accepts one, decide verifies it. Otherwise it
// schedules the next attempt, or ends the polling if a person must decide.
func (in *intake) decide(ctx context.Context, tx pgx.Tx) error {
	known, err := reportsOf(ctx, tx, in.draw.ID)
	if err != nil {
		return err
	}
	answered := len(in.fetched) > 0
	for i := range in.fetched {
		if in.fetched[i].Err != nil {
			answered = false
			continue
		}
		if known, err = in.propose(ctx, tx, known, &in.fetched[i]); err != nil {
			return err
		}
	}
	unanimous, err := in.unanimous(ctx, tx, known)
	if err != nil {
		return err
	}
	policy := in.attempt.config.Verify
	if chosen := choose(known, in.attempt.config); unanimous && chosen != nil {
		return in.verify(ctx, tx, chosen.id)
	}
	if answered && (!unanimous || policy.Policy == lottery.PolicyManual) {
		return drawstate.StopPollTx(ctx, tx, in.draw.ID) // a person decides; further polls would get the same answers
	}
	return in.pollLater(ctx, tx)
}

func (in *intake) verify(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	r, err := resultBy(ctx, tx, `WHERE r.id = $1`, id)
	if err != nil {
		return err
	}
	if _, err = in.service.verifyTx(ctx, tx, in.draw, r, uuid.Nil); err != nil {
		return err
	}
	if in.verified, err = resultBy(ctx, tx, `WHERE r.id = $1`, id); err != nil {
		return err
	}
	return in.service.recordTx(ctx, tx, activity.ResultsFetch, in.verified)
}

// unanimous reports whether all known results of the draw are equal and no person rejected one of them. A new
// contradiction adds an alert.
func (in *intake) unanimous(ctx context.Context, tx pgx.Tx, known []report) (bool, error) {
	agreed := true
	var lines []string
	for i := range known {
		o := &known[i]
		agreed = agreed && o.outcome.Equal(&known[0].outcome)
		lines = append(lines, o.source+": "+o.outcome.String())
	}
	if !agreed && in.fresh {
		slices.Sort(lines)
		if err := in.service.alertTx(ctx, tx, in.draw.ID, models.AlertContradiction, models.Clip(strings.Join(slices.Compact(lines), ", "), maxDetail)); err != nil {
			return false, err
		}
	}
	return agreed && !slices.ContainsFunc(known, func(o report) bool { return o.rejectedByPerson }), nil
}
