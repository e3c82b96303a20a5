package reports

import (
	"banca/api/kit"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/internal/rollup"
)

// Figures are sums over events in one currency. net_sales = sold - voided - refunded; net_balance = net_sales - commissions - prizes,
// and game_result = net_sales - commissions - prizes_won.
type Figures struct {
	Tickets       int64            `json:"tickets" doc:"tickets sold, also those that were cancelled later; 0 if the figures are of one game"`
	VoidedTickets int64            `json:"voided_tickets" doc:"tickets cancelled; 0 if the figures are of one game"`
	Lines         int64            `json:"lines" doc:"bet lines sold, less those cancelled or refunded"`
	Sold          kit.Decimal      `json:"sold" doc:"stakes"`
	Voided        kit.Decimal      `json:"voided" doc:"stakes of cancelled tickets"`
	Refunded      kit.Decimal      `json:"refunded" doc:"stakes given back because a draw was suspended"`
	NetSales      kit.Decimal      `json:"net_sales" doc:"sold less voided and refunded"`
	Prizes        kit.Decimal      `json:"prizes" doc:"paid out, less payments that were taken back"`
	PrizesWon     kit.Decimal      `json:"prizes_won" doc:"of lines that won, less those that a correction annulled"`
	PrizesPercent string           `json:"prizes_percent" example:"72.00" doc:"prizes in percent of net sales; empty without net sales"`
	Commissions   kit.Decimal      `json:"commissions" doc:"of all levels"`
	Commission    levelCommissions `json:"commission_by_level"`
	GameResult    kit.Decimal      `json:"game_result" doc:"net sales less commissions and prizes won"`
	NetBalance    kit.Decimal      `json:"net_balance" doc:"cash: net sales less commissions and prizes paid"`
}

// levelCommissions are the commissions of the levels.
type levelCommissions struct {
	SuperAgency kit.Decimal `json:"super_agency"`
	Agency      kit.Decimal `json:"agency"`
	Group       kit.Decimal `json:"group"`
	TicketPoint kit.Decimal `json:"ticket_point"`
}

func figuresBody(f *rollup.Figures, digits int) Figures {
	amount := func(a money.Amount) kit.Decimal { return kit.DecimalOf(a, digits) }
	c := &f.Commission
	return Figures{
		Tickets: f.Tickets, VoidedTickets: f.VoidedTickets, Lines: f.Lines,
		Sold: amount(f.Sold), Voided: amount(f.Voided), Refunded: amount(f.Refunded), NetSales: amount(f.NetSales()),
		Prizes: amount(f.Paid), PrizesWon: amount(f.Won), PrizesPercent: reports.Percent(f.Paid, f.NetSales()),
		Commissions: amount(c.Total()), GameResult: amount(f.GameResult()), NetBalance: amount(f.Cash()),
		Commission: levelCommissions{SuperAgency: amount(c.SuperAgency), Agency: amount(c.Agency), Group: amount(c.Group), TicketPoint: amount(c.TicketPoint)},
	}
}
