package weekly

import (
	"context"

	"github.com/google/uuid"

	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/receipts"
)

// Receipt draws a settlement in the caller's scope as a picture, which can be sent, in a format of sales, and
// returns it with its media type. That of a draft is marked as provisional. Errors: ErrNotFound, receipts.ErrFormat.
func (s *Service) Receipt(ctx context.Context, by caller.Caller, id uuid.UUID, format string) ([]byte, string, error) {
	found, err := s.Get(ctx, by, id)
	if err != nil {
		return nil, "", err
	}
	slip, err := s.slip(ctx, found)
	if err != nil {
		return nil, "", err
	}
	return s.Renderer.Render(slip, format)
}

// Picture draws a settlement that the caller has as a picture to send. Errors: receipts.ErrTooLarge.
func (s *Service) Picture(ctx context.Context, found *Settlement) ([]byte, error) {
	slip, err := s.slip(ctx, found)
	if err != nil {
		return nil, err
	}
	return s.Renderer.RenderPNG(slip)
}

const slipDay = "02/01/2006"

// slip returns the content of the picture, with all texts formatted.
func (s *Service) slip(ctx context.Context, found *Settlement) (*receipts.Slip, error) {
	chain, err := s.Org.Chain(ctx, found.EntityID)
	if err != nil {
		return nil, err
	}
	printing := chain.Printing()
	facts := []receipts.SlipRow{
		{Label: "Entidad", Value: found.Code}, {Label: "Desde", Value: found.Week.Format(slipDay)},
		{Label: "Hasta", Value: found.To().Format(slipDay)},
	}
	heading := "CUADRE SEMANAL"
	if found.Status == Draft {
		heading = "PROVISIONAL"
	}
	slip := &receipts.Slip{
		Title: printing.Title, Subtitle: printing.Subtitle, Header: printing.Header, Heading: heading,
		Sections: []receipts.Section{{Rows: facts}, found.slipWeek(), found.slipBalance()},
		Footer:   []string{"Firma: ____________________"},
	}
	return slip, nil
}

func (s *Settlement) amount(label string, a money.Amount) receipts.SlipRow {
	return receipts.SlipRow{Label: label, Value: a.FormatLocal(s.Currency.Digits)}
}

// slipWeek are the rows that sum to the debt of the week before its payments.
func (s *Settlement) slipWeek() receipts.Section {
	section := receipts.Section{Title: "SEMANA", Rows: []receipts.SlipRow{
		s.amount("Ventas", s.Sales), s.amount("Premios", -s.Prizes), s.amount("Comisión", -s.Commissions),
		s.amount("Participación "+money.Amount(s.Rate).FormatLocal(2)+" %", -s.Participation),
	}}
	if s.Adjustments != 0 {
		section.Rows = append(section.Rows, s.amount("Ajustes", s.Adjustments))
	}
	total := s.amount("SEMANA "+s.Currency.Unit(), s.BeforePayments())
	total.Total = true
	section.Rows = append(section.Rows, total)
	return section
}

// slipBalance returns the rows that sum to the outstanding amount.
func (s *Settlement) slipBalance() receipts.Section {
	section := receipts.Section{
		Title: "SALDO", Rows: []receipts.SlipRow{s.amount("Semana", s.BeforePayments()), s.amount("Anterior", s.Previous)},
	}
	if s.Moved != 0 {
		section.Rows = append(section.Rows, s.amount("Traslados", s.Moved))
	}
	section.Rows = append(section.Rows, s.amount("Pagos", -s.Payments))
	if s.Paid != 0 {
		section.Rows = append(section.Rows, s.amount("Pagado después", -s.Paid))
	}
	label, left := "DEBE ", s.Outstanding()
	if left < 0 {
		label, left = "A FAVOR ", -left
	}
	total := s.amount(label+s.Currency.Unit(), left)
	total.Total = true
	section.Rows = append(section.Rows, total)
	if s.Carried != 0 || s.CarryOut != 0 {
		section.Rows = append(
			section.Rows, s.amount("Pérdida anterior", s.Carried), s.amount("Pérdida que sigue", s.CarryOut),
		)
	}
	return section
}
