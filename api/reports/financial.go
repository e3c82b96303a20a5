package reports

import (
	"context"

	"banca/api/kit"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/reports"
)

type levelsReport struct {
	Head
	Total    Figures      `json:"total"`
	Levels   []levelShare `json:"levels" nullable:"false" doc:"from the ticket points to the level of the entity"`
	PassedUp kit.Decimal  `json:"passed_up" doc:"by the entity to the level above; 0 for the operator"`
}

type levelShare struct {
	Level      string      `json:"level" enum:"OPERATOR,SUPER_AGENCY,AGENCY,GROUP,TICKET_POINT"`
	Received   kit.Decimal `json:"received" doc:"net sales at the ticket points, what the level below passes up at the others"`
	Prizes     kit.Decimal `json:"prizes" doc:"paid at the ticket points"`
	Commission kit.Decimal `json:"commission"`
	PassedUp   kit.Decimal `json:"passed_up" doc:"received less prizes and commission; 0 for the operator"`
	Kept       kit.Decimal `json:"kept" doc:"commission; the cash for the operator"`
	Percent    string      `json:"kept_percent" example:"10.00" doc:"kept in percent of net sales; empty without net sales"`
}

func (o *operations) levels(ctx context.Context, by caller.Caller, in *ReportInput) (*kit.Data[levelsReport], error) {
	report, err := o.reports.LevelAudit(ctx, by, in.filter())
	if err != nil {
		return nil, err
	}
	digits, net := report.Currency.Digits, report.Total.NetSales()
	amount := func(a money.Amount) kit.Decimal { return kit.DecimalOf(a, digits) }
	return kit.DataOf(levelsReport{
		Head: headBody(&report.Head), Total: figuresBody(&report.Total, digits), PassedUp: amount(report.PassedUp),
		Levels: kit.Map(report.Levels, func(l reports.Level) levelShare {
			return levelShare{
				Level: l.Type, Received: amount(l.Received), Prizes: amount(l.Prizes), Commission: amount(l.Commission),
				PassedUp: amount(l.PassedUp),
				Kept:     amount(l.Kept), Percent: reports.Percent(l.Kept, net),
			}
		}),
	}), nil
}

type waterfallReport struct {
	Head
	Total Figures         `json:"total"`
	Steps []waterfallStep `json:"steps" nullable:"false"`
}

// waterfallStep is a step. The operator's steps end in prizes_won, game_result, uncollected and cash, the steps of
// another entity in prizes (paid) and passed_up, because it does not pay the commissions of the levels above.
type waterfallStep struct {
	Step     string      `json:"step" enum:"sold,voided,refunded,net_sales,commission_ticket_point,commission_group,commission_agency,commission_super_agency,prizes,passed_up,prizes_won,game_result,uncollected,cash"`
	Amount   kit.Decimal `json:"amount" doc:"what the step adds; negative if it takes away; the running total for a subtotal"`
	Running  kit.Decimal `json:"running" doc:"total after the step"`
	Subtotal bool        `json:"subtotal" doc:"whether the step repeats the running total and adds nothing"`
}

func (o *operations) waterfall(
	ctx context.Context, by caller.Caller, in *ReportInput,
) (*kit.Data[waterfallReport], error) {
	report, err := o.reports.Waterfall(ctx, by, in.filter())
	if err != nil {
		return nil, err
	}
	digits := report.Currency.Digits
	return kit.DataOf(waterfallReport{
		Head: headBody(&report.Head), Total: figuresBody(&report.Total, digits),
		Steps: kit.Map(report.Steps, func(s reports.Step) waterfallStep {
			return waterfallStep{
				Step: s.Name, Amount: kit.DecimalOf(s.Amount, digits), Running: kit.DecimalOf(s.Running, digits),
				Subtotal: s.Subtotal,
			}
		}),
	}), nil
}

type balancesInput struct {
	EntityParams
	PeriodParams
	kit.FileParams

	Currency string `query:"currency" required:"true" maxLength:"36" example:"VES" doc:"code or id"`
}

type balancesReport struct {
	Head
	Own      *entityBalance  `json:"own" doc:"of the entity; null without a wallet in the currency"`
	Children []entityBalance `json:"children" nullable:"false" doc:"of the entities one level below"`
	More     bool            `json:"more" doc:"whether there are more than 1,000 entities, of which the first are listed"`
}

type entityBalance struct {
	Entity     reportEntity `json:"entity"`
	Opening    kit.Decimal  `json:"opening" doc:"balance before the first day"`
	Sales      kit.Decimal  `json:"sales" doc:"negative: the cash of sales stays at the ticket point"`
	Prizes     kit.Decimal  `json:"prizes"`
	Commission kit.Decimal  `json:"commissions"`
	Deposits   kit.Decimal  `json:"deposits"`
	Withdrawal kit.Decimal  `json:"withdrawals"`
	Closing    kit.Decimal  `json:"closing" doc:"balance after the last day"`
}

func (o *operations) balances(
	ctx context.Context, by caller.Caller, in *balancesInput,
) (*kit.Data[balancesReport], error) {
	report, err := o.reports.Balances(
		ctx, by, filterOf(&in.EntityParams, &in.PeriodParams, in.Currency), reports.MaxBalances,
	)
	if err != nil {
		return nil, err
	}
	body := balancesReport{
		Head: headBody(&report.Head), Children: make([]entityBalance, len(report.Children)), More: report.More,
	}
	if report.Own != nil {
		own := balanceBody(report.Own, report.Currency.Digits)
		body.Own = &own
	}
	for i := range report.Children {
		body.Children[i] = balanceBody(&report.Children[i], report.Currency.Digits)
	}
	return kit.DataOf(body), nil
}

func balanceBody(b *reports.Balance, digits int) entityBalance {
	amount := func(a money.Amount) kit.Decimal { return kit.DecimalOf(a, digits) }
	return entityBalance{
		Entity: entityBody(&b.Entity), Opening: amount(b.Opening), Sales: amount(b.Sale), Prizes: amount(b.Prize),
		Commission: amount(b.Commission),
		Deposits:   amount(b.Deposit), Withdrawal: amount(b.Withdrawal), Closing: amount(b.Closing),
	}
}
