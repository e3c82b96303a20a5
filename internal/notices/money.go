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
				templates.FieldDay: c.Day.Format(dayFormat), templates.FieldSales: amount(&c.Currency, c.Sales), templates.FieldVoids: amount(&c.Currency, c.Voids+c.Refunds),
				templates.FieldPrizes: amount(&c.Currency, c.Prizes), templates.FieldCommission: amount(&c.Currency, c.Commissions), templates.FieldNet: amount(&c.Currency, c.Net()),
				templates.FieldCash: amount(&c.Currency, c.ExpectedCash()), templates.FieldVariance: amount(&c.Currency, c.Variance()),
			}
			if c.Counted {
				v[templates.FieldCash] = amount(&c.Currency, c.CashTotal)
			}
			return v
		},
	}, func(ctx context.Context) ([]byte, error) { return s.Closes.Picture(ctx, c) })
}

// Settlement is the handler of notice.settlement: it sends the figures of a confirmed week to the contact of the entity.
func (s *Service) Settlement(ctx context.Context, id uuid.UUID) error {
	w, err := s.Weekly.Confirmed(ctx, id)
	if err != nil {
		return err
	}
	return s.toContact(ctx, &notice{
		Outgoing: messaging.Outgoing{EntityID: w.EntityID, About: w.ID, Kind: models.MessageSettlement},
		values: func(templates.Language) templates.Values {
			return templates.Values{
				templates.FieldFrom: w.Week.Format(dayFormat), templates.FieldTo: w.To().Format(dayFormat), templates.FieldSales: amount(&w.Currency, w.Sales),
				templates.FieldPrizes: amount(&w.Currency, w.Prizes), templates.FieldCommission: amount(&w.Currency, w.Commissions), templates.FieldShare: amount(&w.Currency, w.Participation),
				templates.FieldDue: amount(&w.Currency, w.Due), templates.FieldBalance: amount(&w.Currency, w.Balance()),
			}
		},
	}, func(ctx context.Context) ([]byte, error) { return s.Weekly.Picture(ctx, w) })
}
