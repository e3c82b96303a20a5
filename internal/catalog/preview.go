package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/apperr"
	"banca/models"
)

// Preview is what a change of a game would do. Nothing was changed.
type Preview struct {
	Before, After models.Game
	Was, Becomes  []Return        // what the bets pay back on average; empty for a game of elements that has none yet
	Overpriced    []apperr.Detail // bets for which the change is refused unless it is forced, see GameChange.Force
	Stale         bool            // somebody else has changed the fields since they were read
	Same          bool            // the fields are already as the change makes them
}

// PreviewGame returns what a change would do, without locks. Errors: ErrGameNotFound, ErrInvalidGame,
// ErrMechanicsInUse.
func (s *Service) PreviewGame(ctx context.Context, id uuid.UUID, ch *GameChange) (*Preview, error) {
	if err := s.checkDocuments(ch.Documents); err != nil {
		return nil, err
	}
	p := &Preview{}
	err := s.pg.Snapshot(ctx, func(tx pgx.Tx) error {
		row, err := gameRow(ctx, tx, id)
		if err != nil {
			return err
		}
		p.Before = *row
		if err := ch.apply(row, picture{}); err != nil {
			return err
		}
		p.After = *row
		p.Same, err = ch.checkBase(&p.Before, row)
		p.Stale = errors.Is(err, ErrGameChanged)
		return s.examine(ctx, tx, p)
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// examine checks the changed game and computes what its bets pay back.
func (s *Service) examine(ctx context.Context, tx pgx.Tx, p *Preview) error {
	was, err := category(ctx, tx, p.Before.CategoryID)
	if err != nil {
		return err
	}
	becomes, err := category(ctx, tx, p.After.CategoryID)
	if err != nil {
		return err
	}
	elements, err := elementRows(ctx, tx, p.Before.ID)
	if err != nil {
		return err
	}
	derives, err := derivations(ctx, tx, p.Before.ID)
	if err != nil {
		return err
	}
	if err := checkMeaning(&p.Before, &p.After, becomes.Code, elements, derives); err != nil {
		return err
	}
	if p.Was, err = returnsOf(&p.Before, was.Code, elements); err != nil {
		return err
	}
	if p.Becomes, err = returnsOf(&p.After, becomes.Code, elements); err != nil {
		return err
	}
	after := p.After // whose rules the check marks
	switch err := s.checkPrice(&p.Before, &after, becomes.Code, elements, ""); {
	case apperr.CodeOf(err) == ErrOverpriced.Code:
		p.Overpriced = apperr.From(err).Details
	case err != nil:
		return err
	}
	return p.checkWaiting(ctx, tx, was.Code, becomes.Code)
}

// checkWaiting is checkDrawn without locks. Errors: ErrMechanicsInUse.
func (p *Preview) checkWaiting(ctx context.Context, tx pgx.Tx, wasIn, isIn string) error {
	was, err := DecodeMechanics(p.Before.Mechanics, wasIn)
	if err != nil {
		return err
	}
	becomes, err := DecodeMechanics(p.After.Mechanics, isIn)
	if err != nil || becomes.yields(&was) {
		return err
	}
	waiting, err := ticketsWait(ctx, tx, p.Before.ID)
	if err == nil && waiting {
		err = ErrMechanicsInUse
	}
	return err
}

// returnsOf returns what the bets of a game pay back on average.
func returnsOf(row *models.Game, category string, elements []models.GameElement) ([]Return, error) {
	mechanics, rules, active, err := priced(row, category, elements)
	if err != nil || active == 0 && mechanics.Kind == DrawsElement {
		return nil, err
	}
	return Returns(mechanics, rules, active), nil
}

// Revision identifies the content of a field of a game. The schedule includes the sale stop, which
// is changed with it; the rules exclude the reason of a forced change.
func Revision(row *models.Game, field string) string {
	content := canonical(*documentOf(row, field))
	switch field {
	case FieldRules:
		content = canonical(unforced(row.BettingRules))
	case FieldSchedule:
		content += fmt.Sprint(numberOf(row.SaleStopSeconds))
	}
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:8])
}

func canonical(raw []byte) string {
	text := jsontext.Value(slices.Clone(raw))
	if text.Canonicalize() != nil {
		return string(raw)
	}
	return string(text)
}

// unforced returns rules without the reason why they stand.
func unforced(raw []byte) []byte {
	var doc map[string]json.RawMessage
	if json.Unmarshal(raw, &doc) != nil {
		return raw
	}
	delete(doc, keyForced)
	bare, err := json.Marshal(doc)
	if err != nil {
		return raw
	}
	return bare
}

// checkBase compares the fields that the change is based on with the game. made reports whether all of them are
// already as the change makes them. Errors: ErrGameChanged.
func (ch *GameChange) checkBase(before, row *models.Game) (made bool, err error) {
	made = len(ch.Based) > 0
	for field, based := range ch.Based {
		now, becomes := Revision(before, field), Revision(row, field)
		made = made && now == becomes
		if now != based && now != becomes {
			err = ErrGameChanged
		}
	}
	return made, err
}
