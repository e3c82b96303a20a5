package notices

import (
	"context"

	"github.com/google/uuid"

	"banca/internal/messaging"
	"banca/internal/messaging/templates"
	"banca/models"
)

// Close is the handler of notice.close: it sends the figures of a closed day to the contact of the entity.
func (s *Service) Close(ctx context.Context, id uuid.UUID) error {
	c, err := s.Closes.Closed(ctx, id)
	if err != nil {
		return err
	}
	return s.toContact(ctx, &notice{
		Outgoing: messaging.Outgoing{EntityID: c.EntityID, About: c.ID, Kind: models.MessageClose},
		values: func(templates.Language) templates.Values {
			v := templates.Values{
				templates.FieldDay: c.Day.Format(dayFormat), templates.FieldSales: c.Currency.Local(c.Sales), templates.FieldVoids: c.Currency.Local(c.Voids + c.Refunds),
				templates.FieldPrizes: c.Currency.Local(c.Prizes), templates.FieldCommission: c.Currency.Local(c.Commissions), templates.FieldNet: c.Currency.Local(c.Net()),
				templates.FieldCash: c.Currency.Local(c.ExpectedCash()), templates.FieldVariance: c.Currency.Local(c.Variance()),
			}
			if c.Counted {
				v[templates.FieldCash] = c.Currency.Local(c.CashTotal)
			}
			return v
		},
	}, func(ctx context.Context) ([]byte, error) { return s.Closes.Picture(ctx, c) })
}

// Settlement is the handler of notice.settlement: it sends the figures of a confirmed week to the contact of the
// entity.
func (s *Service) Settlement(ctx context.Context, id uuid.UUID) error {
	w, err := s.Weekly.Confirmed(ctx, id)
	if err != nil {
		return err
	}
	return s.toContact(ctx, &notice{
		Outgoing: messaging.Outgoing{EntityID: w.EntityID, About: w.ID, Kind: models.MessageSettlement},
		values: func(templates.Language) templates.Values {
			return templates.Values{
				templates.FieldFrom: w.Week.Format(dayFormat), templates.FieldTo: w.To().Format(dayFormat), templates.FieldSales: w.Currency.Local(w.Sales),
				templates.FieldPrizes: w.Currency.Local(w.Prizes), templates.FieldCommission: w.Currency.Local(w.Commissions), templates.FieldShare: w.Currency.Local(w.Participation),
				templates.FieldDue: w.Currency.Local(w.BeforePayments()), templates.FieldPrevious: w.Currency.Local(w.Previous + w.Moved),
				templates.FieldPayments: w.Currency.Local(-w.Payments), templates.FieldBalance: w.Currency.Local(w.Balance()),
			}
		},
	}, func(ctx context.Context) ([]byte, error) { return s.Weekly.Picture(ctx, w) })
}
