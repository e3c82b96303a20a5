package draws

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/models"
)

// Cause is why a draw was not closed in an external system. The zero Cause is unknown.
type Cause struct {
	Key    string // names the cause in a filter
	Source string // name of the external system; "" for the configuration of the game
	Code   string // of the error, such as LOTTERY_REFUSED
	Status string // of the HTTP answer; "" without one
}

// The cause of an alert is read from its detail, which is the text of an error: "source official: LOTTERY_REFUSED:
// ...: status 404". Of several systems the first one counts.
const (
	closeFailed  = `(a.kind = '` + models.AlertCloseFailed + `')`
	causeKey     = `(substring(a.detail from '^(?:source [a-z0-9_-]+: )?[A-Z][A-Z0-9_]+') || coalesce(' ' || substring(a.detail from '^[^\n]*: status ([0-9]{3})'), ''))`
	causeOfAlert = `CASE WHEN ` + closeFailed + ` THEN coalesce(` + causeKey + `, '') ELSE '' END`
)

// ParseCause reads the key of a cause.
func ParseCause(key string) Cause {
	c := Cause{Key: key}
	rest := key
	if named, found := strings.CutPrefix(key, "source "); found {
		c.Source, rest, _ = strings.Cut(named, ": ")
	}
	c.Code, c.Status, _ = strings.Cut(rest, " ")
	return c
}

// CloseFailure is a cause with the draws of its open alerts.
type CloseFailure struct {
	Cause

	Draws int64
	Since time.Time // of the first alert
}

// maxCauses bounds the causes that are told apart.
const maxCauses = 20

// CloseFailures returns the causes for which draws were not closed in an external system, of the alerts that are not
// acknowledged; the one of most draws first.
func (s *Service) CloseFailures(ctx context.Context) ([]CloseFailure, error) {
	rows, err := s.PG.Pool.Query(ctx, `SELECT `+causeOfAlert+`, count(*), min(a.first_at) FROM draw_alerts a
		WHERE a.acknowledged_at IS NULL AND `+closeFailed+` GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT $1`, maxCauses)
	if err != nil {
		return nil, fmt.Errorf("causes of alerts: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (f CloseFailure, err error) {
		var key string
		err = row.Scan(&key, &f.Draws, &f.Since)
		f.Cause, f.Since = ParseCause(key), f.Since.UTC()
		return f, err
	})
	if err != nil {
		return nil, fmt.Errorf("causes of alerts: %w", err)
	}
	return list, nil
}

// Details of alerts, which Note reads again.
const (
	attemptsDetail   = "no verified result after %d attempts"
	lateDetail       = "no result %d minutes after the draw"
	unverifiedDetail = "a result awaits its verification %d minutes after the draw"
	verifiedMark     = ", verified: "
	derivedSource    = "derived"
)

// What the detail of an alert says.
const (
	NoteAttempts   = "attempts"   // polled Number times without a verified result
	NoteLate       = "late"       // no result Number minutes after the draw
	NoteUnverified = "unverified" // a result awaits its verification Number minutes after the draw
	NoteDerived    = "derived"    // the base game gives Reported in place of Verified
	NoteReported   = "reported"   // Source gives Reported in place of Verified
)

// Note is what the detail of an alert says, for a page in any language.
type Note struct {
	Code                       string // "" for a detail that is only for technicians
	Number                     int
	Source, Reported, Verified string
}

// Note returns what the detail says.
func (a *Alert) Note() Note {
	for code, format := range map[string]string{NoteAttempts: attemptsDetail, NoteLate: lateDetail, NoteUnverified: unverifiedDetail} {
		var n Note
		if count, _ := fmt.Sscanf(a.Detail, format, &n.Number); count == 1 && a.Detail == fmt.Sprintf(format, n.Number) {
			n.Code = code
			return n
		}
	}
	if a.Kind != models.AlertDiffers {
		return Note{}
	}
	n := Note{Code: NoteReported}
	reported, verified, found := strings.Cut(a.Detail, verifiedMark)
	source, value, named := strings.Cut(reported, ": ")
	if !found || !named {
		return Note{}
	}
	if source == derivedSource {
		n.Code = NoteDerived
	}
	n.Source, n.Reported, n.Verified = source, value, verified
	return n
}
