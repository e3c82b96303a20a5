package closes

import (
	"context"
	"strconv"

	"github.com/google/uuid"

	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/receipts"
	"banca/internal/tickets"
)

// Receipt draws the 58 mm receipt of a close in the caller's scope in a format of sales, and returns it with its media type. That of
// an open day is marked as provisional. Errors: ErrNotFound, receipts.ErrFormat.
func (s *Service) Receipt(ctx context.Context, by caller.Caller, id uuid.UUID, format string) ([]byte, string, error) {
	c, err := s.Get(ctx, by, id)
	if err != nil {
		return nil, "", err
	}
	slip, err := s.slip(ctx, c)
	if err != nil {
		return nil, "", err
	}
	return s.Renderer.Render(slip, format)
}

// Picture draws the receipt of a close that the caller has as a picture to send. Errors: receipts.ErrTooLarge.
func (s *Service) Picture(ctx context.Context, c *Close) ([]byte, error) {
	slip, err := s.slip(ctx, c)
	if err != nil {
		return nil, err
	}
	return s.Renderer.RenderPNG(slip)
}

const (
	slipDay  = "02/01/2006"
	slipTime = "02/01/2006 03:04 PM"
)

// slip returns the content of the receipt, with all texts formatted.
func (s *Service) slip(ctx context.Context, c *Close) (*receipts.Slip, error) {
	chain, err := s.Org.Chain(ctx, c.EntityID)
	if err != nil {
		return nil, err
	}
	printing := chain.Printing()
	facts := []receipts.SlipRow{{Label: "Entidad", Value: chain.Self().Code}, {Label: "Día", Value: c.Day.Format(slipDay)}}
	heading := "CIERRE DE CAJA"
	if c.Status == Closed {
		facts = append(facts, receipts.SlipRow{Label: "Cerrado", Value: c.ClosedAt.In(s.Zone).Format(slipTime)})
	} else {
		heading = "PROVISIONAL"
		facts = append(facts, receipts.SlipRow{Label: "Al", Value: s.Clock.Now().In(s.Zone).Format(slipTime)})
	}
	slip := &receipts.Slip{
		Title: printing.Title, Subtitle: printing.Subtitle, Header: printing.Header, Heading: heading,
		Sections: []receipts.Section{{Rows: facts}},
	}
	if !c.Blind {
		slip.Sections = append(slip.Sections, c.slipTotals(), c.slipCash())
	}
	if len(c.Means) > 0 && !c.Blind {
		slip.Sections = append(slip.Sections, c.slipMeans())
	}
	if c.Note != "" {
		slip.Sections = append(slip.Sections, receipts.Section{Title: "NOTA", Rows: []receipts.SlipRow{{Value: c.Note}}})
	}
	passed, err := s.handovers(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	if len(passed) > 0 {
		slip.Sections = append(slip.Sections, s.slipHandovers(c, passed))
	}
	slip.Footer = []string{"Firma: ____________________"}
	return slip, nil
}

// slipHandovers lists the cashiers of each handover, the counted cash, and its difference from the expected one.
func (s *Service) slipHandovers(c *Close, passed []Handover) receipts.Section {
	section := receipts.Section{Title: "ENTREGAS DE CAJA"}
	for i := range passed {
		h := &passed[i]
		taker := h.Taker
		if h.TakenAt.IsZero() {
			taker = "sin recibir"
		}
		section.Rows = append(section.Rows, receipts.SlipRow{Label: "Entregó " + h.GivenAt.In(s.Zone).Format("03:04 PM"), Value: h.Giver}, receipts.SlipRow{Label: "Recibió", Value: taker},
			c.amount("Contado", h.Counted))
		if h.Variance() != 0 {
			section.Rows = append(section.Rows, c.amount("Diferencia", h.Variance()))
		}
	}
	return section
}

// amount returns a row with an amount; a row of zero is left out by rowsOf.
func (c *Close) amount(label string, a money.Amount) receipts.SlipRow {
	return receipts.SlipRow{Label: label, Value: a.FormatLocal(c.Currency.Digits)}
}

// numbered returns a label with a number.
func numbered(label string, n int64) string { return label + " (" + strconv.FormatInt(n, 10) + ")" }

func (c *Close) slipTotals() receipts.Section {
	section := receipts.Section{Title: "OPERACIONES", Rows: []receipts.SlipRow{c.amount(numbered("Ventas", c.Tickets), c.Sales)}}
	for _, row := range []struct {
		label  string
		amount money.Amount
		shown  bool
	}{
		{numbered("Anulados", c.Voided), -c.Voids, c.Voided != 0},
		{numbered("Devueltos", c.Refunded), -c.Refunds, c.Refunded != 0},
		{numbered("Premios", c.Paid), -c.Prizes, true},
		{"Comisión", -c.Commissions, true},
		{"Participación", -c.Participations, c.Participations != 0},
	} {
		if row.shown {
			section.Rows = append(section.Rows, c.amount(row.label, row.amount))
		}
	}
	net := c.amount("NETO "+c.Currency.Unit(), c.Net())
	net.Total = true
	section.Rows = append(section.Rows, net)
	for _, row := range []struct {
		label  string
		amount money.Amount
	}{{"Depósitos", c.Deposits}, {"Retiros", c.Withdrawals}, {numbered("De días anteriores", c.LateEvents), c.LateNet}} {
		if row.amount != 0 {
			section.Rows = append(section.Rows, c.amount(row.label, row.amount))
		}
	}
	return section
}

// slipMeans lists what was paid otherwise than in cash of the currency, and what of it was counted.
func (c *Close) slipMeans() receipts.Section {
	names := map[string]string{tickets.Cash: "Efectivo", tickets.Card: "Tarjeta", tickets.Mobile: "Pago móvil"}
	section := receipts.Section{Title: "OTRAS FORMAS DE PAGO"}
	for i := range c.Means {
		m := &c.Means[i]
		amount := func(label string, a money.Amount) {
			section.Rows = append(section.Rows, receipts.SlipRow{Label: label, Value: a.FormatLocal(m.Currency.Digits)})
		}
		amount(names[m.Means]+" "+m.Currency.Unit(), m.Expected)
		if m.Counted != nil {
			amount("Contado", *m.Counted)
		}
		if m.Variance() != 0 {
			amount("Diferencia", m.Variance())
		}
	}
	return section
}

func (c *Close) slipCash() receipts.Section {
	section := receipts.Section{Title: "EFECTIVO"}
	digits := c.Currency.Digits
	for _, count := range c.Counts {
		label := count.Denomination.FormatLocal(digits) + " x " + strconv.FormatInt(count.Count, 10)
		section.Rows = append(section.Rows, c.amount(label, count.Denomination*money.Amount(count.Count)))
	}
	if other := c.Other(); c.Counted && len(c.Counts) > 0 && other != 0 {
		section.Rows = append(section.Rows, c.amount("Otro", other))
	}
	if c.OpeningCash != 0 {
		section.Rows = append(section.Rows, c.amount("Fondo inicial", c.OpeningCash))
	}
	if !c.Counted {
		return receipts.Section{Title: section.Title, Rows: append(section.Rows, c.amount("Debe haber", c.ExpectedCash()), receipts.SlipRow{Value: "No se contó el efectivo."})}
	}
	variance := c.amount("DIFERENCIA", c.Variance())
	if c.Variance() > 0 {
		variance.Value = "+" + variance.Value
	}
	variance.Total = true
	section.Rows = append(section.Rows, c.amount("Contado", c.CashTotal), c.amount("Debe haber", c.ExpectedCash()), variance)
	return section
}
