package weekly

import (
	"context"

	"banca/api/kit"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/internal/weekly"
)

// text returns a text of files in the language of the request.
func text(ctx context.Context, key string) sheet.Cell {
	return sheet.Text(kit.FileText(ctx, key))
}

func (o *operations) table(ctx context.Context, by caller.Caller, in *listInput) (*sheet.Table, error) {
	rows, total, err := o.weekly.All(ctx, by, in.filter())
	if err != nil {
		return nil, err
	}
	table := kit.FileTable(ctx, "weekly-settlements", "", "week", "to", "entity", "code", "level", "status", "previous", "sales", "prizes", "commissions", "participation_percent",
		"participation", "own_share", "adjustments", "payments", "week_due", "moved", "balance_due", "paid_after", "outstanding", "loss_after", "currency")
	table.Total = total
	table.Rows = sheet.Rows(rows, func(s *weekly.Settlement) []sheet.Cell { return settlementCells(ctx, s) })
	return table, nil
}

func settlementCells(ctx context.Context, s *weekly.Settlement) []sheet.Cell {
	amount := func(a money.Amount) sheet.Cell { return sheet.Money(a, s.Currency.Digits) }
	return []sheet.Cell{
		sheet.Day(s.Week), sheet.Day(s.To()), sheet.Text(s.Entity), sheet.Text(s.Code), text(ctx, "level."+s.Type), text(ctx, "settlement."+s.Status), amount(s.Previous),
		amount(s.Sales), amount(s.Prizes), amount(s.Commissions), sheet.Percent(s.Rate), amount(s.Participation), amount(s.OwnShare), amount(s.Adjustments),
		amount(s.Payments), amount(s.Due), amount(s.Moved), amount(s.Balance()), amount(s.Paid), amount(s.Outstanding()), amount(s.CarryOut), sheet.Text(s.Currency.Code),
	}
}
