package reports

import (
	"context"

	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/rollup"
	"banca/models"
)

// levels lists the types of entities in the direction in which money flows: from the ticket points up.
func levels() []string {
	return []string{
		models.EntityTicketPoint, models.EntityGroup, models.EntityAgency, models.EntitySuperAgency,
		models.EntityOperator,
	}
}

// Level is what one level of the tree receives, keeps and passes on. Received less Prizes and Commission is PassedUp.
// The operator passes nothing up: it keeps the cash.
type Level struct {
	Type       string
	Received   money.Amount // net sales at the ticket points, what the level below passes up at the others
	Prizes     money.Amount // paid at the ticket points
	Commission money.Amount
	PassedUp   money.Amount
	Kept       money.Amount // commission, and the cash of the operator
}

// LevelAudit follows the money of an entity from the ticket points up to the entity. Net sales less prizes is the sum
// of what the levels keep and of what the entity passes up.
type LevelAudit struct {
	Head
	Total    rollup.Figures
	Levels   []Level      // from the ticket points to the level of the entity
	PassedUp money.Amount // by the entity; 0 for the operator
}

// LevelAudit returns what each level keeps of the net sales. Errors: see ask.
func (s *Service) LevelAudit(ctx context.Context, by caller.Caller, f *Filter) (*LevelAudit, error) {
	q, err := s.ask(ctx, by, f)
	if err != nil {
		return nil, err
	}
	rows, err := s.totals.Sum(ctx, &q.query)
	if err != nil {
		return nil, err
	}
	report := &LevelAudit{Head: q.Head, Total: rows[0].Figures}
	report.Levels, report.PassedUp = auditLevels(&report.Total, q.Entity.Type)
	return report, nil
}

// auditLevels follows net sales up to a level.
func auditLevels(total *rollup.Figures, top string) (list []Level, passedUp money.Amount) {
	received := total.NetSales()
	for _, kind := range levels() {
		l := Level{Type: kind, Received: received, Commission: total.Commission.Of(kind)}
		if kind == models.EntityTicketPoint {
			l.Prizes = total.Paid
		}
		l.Kept, l.PassedUp = l.Commission, l.Received-l.Prizes-l.Commission
		if kind == models.EntityOperator {
			l.Kept, l.PassedUp = l.PassedUp, 0
		}
		list, received = append(list, l), l.PassedUp
		if kind == top {
			break
		}
	}
	return list, received
}

// Steps of a waterfall. A commission has the step of its level.
const (
	StepSold                  = "sold"
	StepVoided                = "voided"
	StepRefunded              = "refunded"
	StepNetSales              = "net_sales"
	StepCommissionTicketPoint = "commission_ticket_point"
	StepCommissionGroup       = "commission_group"
	StepCommissionAgency      = "commission_agency"
	StepCommissionSuperAgency = "commission_super_agency"
	StepPrizes                = "prizes" // paid
	StepPassedUp              = "passed_up"
	StepPrizesWon             = "prizes_won"
	StepGameResult            = "game_result"
	StepUncollected           = "uncollected"
	StepCash                  = "cash"
)

// Step is a step of a waterfall. Amount changes the running total to Running; a subtotal is the running total and
// changes nothing.
type Step struct {
	Name     string
	Amount   money.Amount
	Running  money.Amount
	Subtotal bool
}

// Waterfall leads from sales to the game result and the cash of the operator, or to the amount that another entity
// passes up.
type Waterfall struct {
	Head
	Total rollup.Figures
	Steps []Step
}

// Waterfall returns the steps of an entity. Errors: see ask.
func (s *Service) Waterfall(ctx context.Context, by caller.Caller, f *Filter) (*Waterfall, error) {
	q, err := s.ask(ctx, by, f)
	if err != nil {
		return nil, err
	}
	rows, err := s.totals.Sum(ctx, &q.query)
	if err != nil {
		return nil, err
	}
	report := &Waterfall{Head: q.Head, Total: rows[0].Figures}
	report.Steps = waterfall(&report.Total, q.Entity.Type)
	return report, nil
}

func waterfall(total *rollup.Figures, top string) []Step {
	var list []Step
	var running money.Amount
	step := func(name string, amount money.Amount) {
		running += amount
		list = append(list, Step{Name: name, Amount: amount, Running: running})
	}
	subtotal := func(name string) {
		list = append(list, Step{Name: name, Amount: running, Running: running, Subtotal: true})
	}
	step(StepSold, total.Sold)
	step(StepVoided, -total.Voided)
	step(StepRefunded, -total.Refunded)
	subtotal(StepNetSales)
	for _, kind := range levels() {
		if name := commissionStep(kind); name != "" {
			step(name, -total.Commission.Of(kind))
		}
		if kind == top {
			break
		}
	}
	if top != models.EntityOperator {
		step(StepPrizes, -total.Paid)
		subtotal(StepPassedUp)
		return list
	}
	step(StepPrizesWon, -total.Won)
	subtotal(StepGameResult)
	step(StepUncollected, total.Uncollected())
	subtotal(StepCash)
	return list
}

func commissionStep(kind string) string {
	switch kind {
	case models.EntityTicketPoint:
		return StepCommissionTicketPoint
	case models.EntityGroup:
		return StepCommissionGroup
	case models.EntityAgency:
		return StepCommissionAgency
	case models.EntitySuperAgency:
		return StepCommissionSuperAgency
	default:
		return ""
	}
}
