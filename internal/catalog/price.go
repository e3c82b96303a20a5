package catalog

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"banca/models"
)

// keyForced is where rules say why they stand although they pay out more than they take in.
const keyForced = "forced"

// checkPrice refuses rules that pay out more than they take in, unless they are forced with a reason, which is written
// into them. What a caller writes there itself means nothing; rules that were forced before stay so as long as neither
// they nor the mechanics change. Errors: ErrOverpriced.
func (s *Service) checkPrice(before, row *models.Game, category string, elements []models.GameElement, force string) error {
	var doc map[string]jsontext.Value
	if err := json.Unmarshal(row.BettingRules, &doc); err != nil {
		return fmt.Errorf("betting_rules: %w", err)
	}
	_, marked := doc[keyForced]
	delete(doc, keyForced)
	bare, err := json.Marshal(doc, json.Deterministic(true))
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
	row.BettingRules, err = json.Marshal(doc, json.Deterministic(true))
	return err
}
