package catalog

import (
	"encoding/json"
	"fmt"
	"slices"

	"banca/internal/platform/apperr"
	"banca/models"
)

// keyForced is where rules say why they stand although they pay out more than they take in.
const keyForced = "forced"

// checkPrice refuses rules with an expected payout above the stake, unless they are forced with a reason, which is
// stored in them. A reason in the caller's own document is ignored; forced rules stay forced as long as neither they
// nor the mechanics change. Errors: ErrOverpriced.
func (s *Service) checkPrice(before, row *models.Game, category string, elements []models.GameElement, force string) error {
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(row.BettingRules, &doc); err != nil {
		return fmt.Errorf("betting_rules: %w", err)
	}
	_, marked := doc[keyForced]
	delete(doc, keyForced)
	bare, err := json.Marshal(doc)
	if err != nil {
		return fmt.Errorf("betting_rules: %w", err)
	}
	forced := row.BettingRules
	row.BettingRules = bare
	found, err := overpriced(row, category, elements)
	if err != nil || len(found) == 0 {
		return err
	}
	if force == "" {
		if marked && same(before.BettingRules, forced) && same(before.Mechanics, row.Mechanics) {
			row.BettingRules = forced
			return nil
		}
		return ErrOverpriced.WithDetails(found...)
	}
	reason, err := json.Marshal(map[string]string{"reason": force})
	if err != nil {
		return fmt.Errorf("reason: %w", err)
	}
	doc[keyForced] = reason
	row.BettingRules, err = json.Marshal(doc)
	return err
}

// overpriced names the bet types that pay out more than they take in.
func overpriced(row *models.Game, category string, elements []models.GameElement) ([]apperr.Detail, error) {
	mechanics, rules, active, err := priced(row, category, elements)
	if err != nil || active == 0 && mechanics.Kind == DrawsElement { // a new game, whose grid comes later and is checked then
		return nil, err
	}
	var found []apperr.Detail
	for _, o := range Expected(mechanics, rules, active) {
		at := slices.IndexFunc(rules, func(r *Rule) bool { return r.Type == o.BetType })
		found = append(found, apperr.Detail{Location: fmt.Sprintf("%s.bet_types[%d]", FieldRules, at), Message: o.Message()})
	}
	return found, nil
}

// priced returns what the expected payouts of a game follow from. Elements that are retired are not drawn.
func priced(row *models.Game, category string, elements []models.GameElement) (m Mechanics, rules []*Rule, active int, err error) {
	if m, err = DecodeMechanics(row.Mechanics, category); err != nil {
		return m, nil, 0, err
	}
	if rules, err = listRules(row.BettingRules); err != nil {
		return m, nil, 0, err
	}
	for i := range elements {
		if elements[i].Status != models.ElementRetired {
			active++
		}
	}
	return m, rules, active, nil
}

// listRules reads the bet types of a betting_rules column in their order.
func listRules(raw []byte) ([]*Rule, error) {
	var doc struct {
		BetTypes []*Rule `json:"bet_types"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("betting_rules: %w", err)
	}
	return doc.BetTypes, nil
}
