package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
	"banca/models"
)

// BetTypes returns the bet types that an outcome of this kind can decide.
func (m *Mechanics) BetTypes() []string {
	return betTypeNames(func(b *BetType) bool { return b.decidedBy(m) })
}

// subject is a game as it would be, for the checks that a schema cannot make.
type subject struct {
	row      *models.Game
	category string
	elements []models.GameElement
	derives  map[string]string // short codes of other games by the games that they decide
	found    []apperr.Detail
}

func (s *subject) refuse(location string, template apperr.Message, args ...any) {
	s.found = append(s.found, apperr.Detail{Location: location, Message: apperr.Messagef(template, args...)})
}

// check validates a game whose fields fit their schemas, and names the errors.
func (s *subject) check() ([]apperr.Detail, error) {
	d, err := DecodeMechanics(s.row.Mechanics, s.category)
	if err != nil {
		return nil, err
	}
	s.checkMechanics(&d)
	s.checkGrid(&d)
	s.checkRules(&d)
	if err := s.checkSchedule(); err != nil {
		return nil, err
	}
	return s.found[:min(len(s.found), maxProblems)], nil
}

func (s *subject) checkMechanics(d *Mechanics) {
	if d.Kind == DrawsElement && (d.Digits != 0 || d.Sign) {
		s.refuse(FieldMechanics+".kind", "an element has neither digits nor a sign")
	}
	codes := map[string]bool{}
	mark := func(at, code string, types []string) {
		if codes[code] {
			s.refuse(at+".code", "is given twice")
		}
		codes[code] = true
		for i, t := range types {
			if !slices.Contains(d.BetTypes(), t) {
				s.refuse(fmt.Sprintf("%s.bet_types[%d]", at, i), "is not a bet type of the drawn outcome")
			}
		}
	}
	for i, f := range d.Flags {
		at := fmt.Sprintf("%s.flags[%d]", FieldMechanics, i)
		mark(at, f.Code, f.BetTypes)
		given := 0
		for _, effect := range []Multiple{f.Set, f.Add, f.Multiply} {
			if effect != 0 {
				given++
			}
		}
		if given != 1 {
			s.refuse(at, "expected one of set, add and multiply")
		}
	}
	for i, w := range d.Wildcards {
		mark(fmt.Sprintf("%s.wildcards[%d]", FieldMechanics, i), w.Code, w.BetTypes)
	}
	if d.DerivedFrom != nil {
		s.checkDerived(d.DerivedFrom.Game)
	}
}

// checkDerived follows the games that decide each other: the chain must lead to another game, and end.
func (s *subject) checkDerived(from string) {
	const at = FieldMechanics + ".derived_from.game"
	if _, exists := s.derives[from]; !exists {
		s.refuse(at, "no such game")
		return
	}
	for range len(s.derives) + 1 {
		if from == s.row.ShortCode {
			s.refuse(at, "a game cannot be derived from itself")
			return
		}
		if from = s.derives[from]; from == "" {
			return
		}
	}
}

// checkGrid compares the codes of elements with the mechanics.
func (s *subject) checkGrid(d *Mechanics) {
	if d.Kind != DrawsNumber {
		return
	}
	for i := range s.elements {
		if e := &s.elements[i]; e.Status != models.ElementRetired && len(e.Code) != d.Digits {
			s.refuse(FieldMechanics+".digits", "the grid has codes without %d digits", d.Digits)
			return
		}
	}
}

// checkRules compares the bet types with the mechanics and the grid, and their bounds with each other.
func (s *subject) checkRules(d *Mechanics) {
	rules, err := listRules(s.row.BettingRules)
	if err != nil {
		s.refuse(FieldRules, "has a payout that is not an amount with at most two decimals")
		return
	}
	g, err := gameOf(s.row, s.category, s.elements)
	if err != nil {
		s.refuse(FieldRules, "has a payout that is not a positive amount")
		return
	}
	seen := map[string]bool{}
	for i, r := range rules {
		at := fmt.Sprintf("%s.bet_types[%d]", FieldRules, i)
		if seen[r.Type] {
			s.refuse(at+".type", "is given twice")
		}
		seen[r.Type] = true
		if !slices.Contains(d.BetTypes(), r.Type) {
			s.refuse(at+".type", "is not a bet type of the drawn outcome; use %s", strings.Join(d.BetTypes(), ", "))
			continue
		}
		if r.Draws != 0 && !BetTypeOf(r.Type).SeveralDraws() {
			s.refuse(at+".draws", "applies to bets on several elements only")
		}
		for key := range r.ElementPayouts {
			if picked, refused := g.Select(r.Type, strings.Split(key, ",")); refused != nil || picked.Key != key {
				s.refuse(at+".element_payouts."+key, "is not a selection of the game's grid")
			}
		}
		s.checkStakes(at, r)
	}
}

// checkStakes compares the least and the greatest stake of each currency, as far as digits go that any has.
func (s *subject) checkStakes(at string, r *Rule) {
	const digits = 4
	currencies := map[string]bool{}
	for _, bound := range []struct {
		name   string
		values StakeBound
	}{{"min_stake", r.MinStake}, {"max_stake", r.MaxStake}} {
		for currency, text := range bound.values {
			currencies[currency] = true
			if _, err := money.Parse(text, digits); err != nil && strings.Trim(text, "0.") != "" {
				s.refuse(at+"."+bound.name+"."+currency, "is not an amount")
			}
		}
	}
	for currency := range currencies {
		least, _ := r.MinStake.In(currency, digits)
		if most, bounded := r.MaxStake.In(currency, digits); bounded && least > most {
			s.refuse(at+".min_stake", "is above the maximum stake")
			return
		}
	}
}

func (s *subject) checkSchedule() error {
	var schedule Schedule
	if err := json.Unmarshal(s.row.ScheduleConfig, &schedule); err != nil {
		return fmt.Errorf("schedule_config: %w", err)
	}
	if _, err := schedule.Zone(time.UTC); err != nil || schedule.TimeZone == "Local" {
		s.refuse(FieldSchedule+".time_zone", "is not a time zone")
	}
	numbers, last := map[string]bool{}, ""
	for i, t := range schedule.Times {
		at := fmt.Sprintf("%s.times[%d]", FieldSchedule, i)
		if t.Time == last {
			s.refuse(at, "equals the time before it")
		} else if t.Time < last {
			s.refuse(at, "is earlier than the time before it")
		}
		last = t.Time
		number := t.Number
		if number == "" {
			number = strconv.Itoa(i + 1)
		}
		if numbers[number] {
			s.refuse(at, "has the number of another draw of the day")
		}
		numbers[number] = true
	}
	return nil
}
