package prizes

import (
	"context"

	"github.com/google/uuid"

	"banca/internal/platform/caller"
	"banca/internal/receipts"
)

const slipTime = "02/01/2006 03:04 PM"

// Slip draws the slip of the payment of a prize, for the winner to sign, in a format of sales, and returns it with its media type. A ticket without a
// payment that stands has none. Errors: tickets.ErrNotFound, ErrNotPaid, receipts.ErrFormat, months.ErrArchived.
func (s *Service) Slip(ctx context.Context, by caller.Caller, ticket uuid.UUID, format string) ([]byte, string, error) {
	d, err := s.Get(ctx, by, ticket)
	if err != nil {
		return nil, "", err
	}
	if len(d.Payments) == 0 || !d.Payments[0].CancelledAt.IsZero() {
		return nil, "", ErrNotPaid
	}
	slip, err := s.slip(ctx, d)
	if err != nil {
		return nil, "", err
	}
	return s.Renderer.Render(slip, format)
}

// slip is the content of the slip of the newest payment, with all texts formatted.
func (s *Service) slip(ctx context.Context, d *Detail) (*receipts.Slip, error) {
	p := &d.Payments[0]
	chain, err := s.Org.Chain(ctx, p.EntityID)
	if err != nil {
		return nil, err
	}
	printing, digits := chain.Printing(), p.Currency.Digits
	won := receipts.Section{Title: "JUGADAS PREMIADAS"}
	for i := range d.Lines {
		if l := &d.Lines[i]; l.AnnulledAt.IsZero() {
			label := l.Game + " " + l.DrawTime.In(s.Zone).Format("03:04 PM") + " " + l.Name
			won.Rows = append(won.Rows, receipts.SlipRow{Label: label, Value: l.Prize.FormatLocal(digits)})
		}
	}
	return &receipts.Slip{
		Title: printing.Title, Subtitle: printing.Subtitle, Header: printing.Header, Heading: "PAGO DE PREMIO",
		Sections: []receipts.Section{
			{Rows: []receipts.SlipRow{{Label: "Ticket", Value: p.Serial}, {Label: "Pagado", Value: p.PaidAt.In(s.Zone).Format(slipTime)}}},
			won,
			{Rows: []receipts.SlipRow{{Label: "PAGADO " + p.Currency.Unit(), Value: p.Amount.FormatLocal(digits), Total: true}}},
		},
		Footer: []string{"Recibí conforme", "Nombre: ____________________", "C.I.: ____________________", "Firma: ____________________"},
	}, nil
}
