package catalog

import (
	"encoding/json"

	"banca/internal/catalog"
	"banca/internal/platform/money"
	"banca/models"
	"banca/web/kit"
)

// Margin reports whether the form decides what the bets pay back.
func (p *editPage) Margin() bool {
	return p.field == catalog.FieldRules || p.field == catalog.FieldMechanics
}

// Facts are computed from the form while it is typed, besides the margins.
func (p *editPage) Facts(v *kit.View) []string {
	switch p.field {
	case catalog.FieldSchedule:
		was, is := scheduleOf(&p.Preview.Before), scheduleOf(&p.Preview.After)
		facts := []string{v.N("edit.perday", int64(len(is.Times))), v.N("edit.perweek", int64(is.PerWeek()))}
		if was.PerWeek() != is.PerWeek() {
			facts = append(facts, v.N("edit.perweek.was", int64(was.PerWeek())))
		}
		return facts
	case catalog.FieldAPI:
		return []string{v.T("edit.policy." + policyOf(p.of(&p.Preview.After)) + ".means")}
	default:
		return nil
	}
}

// scheduleOf decodes the schedule of a game, which was checked.
func scheduleOf(row *models.Game) *catalog.Schedule {
	schedule := &catalog.Schedule{}
	_ = json.Unmarshal(row.ScheduleConfig, schedule) // a schedule that cannot be read has no draws
	return schedule
}

// DrawsText says how many draws a week the change adds or takes away, and what a draw sold last week.
func (p *editPage) DrawsText(v *kit.View) []string {
	if p.field != catalog.FieldSchedule {
		return nil
	}
	was, is := scheduleOf(&p.Preview.Before).PerWeek(), scheduleOf(&p.Preview.After).PerWeek()
	if was == is {
		return nil
	}
	lines := []string{v.T("edit.draws", was, is)}
	if p.Week == nil || was == 0 {
		return lines
	}
	for _, sold := range p.Week.Sold {
		amount := func(a money.Amount) string { return v.Money(a, sold.Currency.Digits) + " " + sold.Currency.Symbol }
		each := sold.Amount / money.Amount(was)
		change := each * money.Amount(is-was)
		sign := ""
		if change > 0 {
			sign = "+"
		}
		lines = append(lines, v.T("edit.draws.sold", amount(sold.Amount), v.Day(p.Week.From), v.Day(p.Week.To), amount(each), sign+amount(change)))
	}
	return lines
}
