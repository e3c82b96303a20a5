package bank

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/bank/bankfield"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/phone"
	"banca/models"
	"banca/storage"
)

// Event is a recorded call.
type Event struct {
	ID           uuid.UUID
	Phase        Phase
	Address      string
	Outcome      string
	Status       int // HTTP
	Answer       bool
	Checks       []Check
	Raw          []byte // the body as received; nil if there was none or it was erased
	Fields       map[string]string
	Reference    string
	Bank         string // code
	BankName     string
	Phone        string
	Amount       money.Amount // in the bank's currency; zero if none was read
	PaymentID    uuid.UUID    // Nil if none
	RequestID    uuid.UUID
	TokenSlot    string // "" if no token was accepted
	RequestHTTP  string
	Duration     time.Duration
	Repeats      int
	LastRepeatAt time.Time
	ReceivedAt   time.Time
}

// PaidAt is the instant of the payment as the bank reported it, zero if the call had none.
func (e *Event) PaidAt() time.Time {
	at, _ := time.Parse(time.RFC3339, e.Fields[bankfield.Instant]) // a stored instant is valid
	return at
}

// EventFilter selects events; zero fields select all.
type EventFilter struct {
	Phase     Phase
	Outcome   string
	Reference string
	Phone     string // E.164
	Bank      string
	PaymentID uuid.UUID
	After     uuid.UUID       // calls after the event with this id
	Date      businessday.Day // of the call
	Limit     int
	Offset    int
}

// Events returns a page of the events that a filter selects, newest first and without their bodies, and the number of
// all. Errors: ErrOperatorOnly.
func (s *Service) Events(ctx context.Context, by caller.Caller, f *EventFilter) ([]Event, int64, error) {
	if err := requireOperator(by); err != nil {
		return nil, 0, err
	}
	q := s.PG.Gorm.WithContext(ctx).Model(&models.BankEvent{})
	for column, wanted := range map[string]string{
		"phase": string(f.Phase), "outcome": f.Outcome, "reference": f.Reference, "phone": f.Phone, "bank_code": f.Bank,
	} {
		if wanted != "" {
			q = q.Where(column+" = ?", wanted)
		}
	}
	if f.PaymentID != uuid.Nil {
		q = q.Where("payment_id = ?", f.PaymentID)
	}
	if f.After != uuid.Nil {
		q = q.Where("id > ?", f.After) // ids are UUIDv7
	}
	if !f.Date.IsZero() {
		from, to := f.Date.Bounds(s.Options.Zone)
		q = q.Where("received_at >= ? AND received_at < ?", from, to)
	}
	rows, total, err := storage.FindKeyed[models.BankEvent](q.Omit("Raw"), "id DESC", storage.Page{Limit: f.Limit, Offset: f.Offset})
	if err != nil {
		return nil, 0, fmt.Errorf("list events: %w", err)
	}
	name, err := s.BankNames(ctx)
	if err != nil {
		return nil, 0, err
	}
	list := make([]Event, len(rows))
	for i := range rows {
		e, err := eventOf(&rows[i])
		if err != nil {
			return nil, 0, err
		}
		list[i] = *e
		list[i].BankName = name(e.Bank)
	}
	return list, total, nil
}

// Trace is an event with the related rows, in the order in which they were written. A row that does not exist is nil.
type Trace struct {
	Event        Event
	Query        *Event // the query that held the request
	Request      *Request
	Notification *Event // the notification of the payment
	Payment      *Payment
	Deposit      *ledger.Transaction
}

// Trace returns an event with its query, payment request, notification, payment and deposit. Errors: ErrEventNotFound,
// ErrOperatorOnly.
func (s *Service) Trace(ctx context.Context, by caller.Caller, id uuid.UUID) (*Trace, error) {
	if err := requireOperator(by); err != nil {
		return nil, err
	}
	event, err := s.event(ctx, id)
	if err != nil {
		return nil, err
	}
	name, err := s.BankNames(ctx)
	if err != nil {
		return nil, err
	}
	t := &Trace{Event: *event}
	t.Event.BankName = name(event.Bank)
	request, payment := event.RequestID, event.PaymentID
	if payment == uuid.Nil && request != uuid.Nil {
		if err := s.PG.Pool.QueryRow(ctx, `SELECT coalesce(payment_id, $2) FROM payment_requests WHERE id = $1`, request, uuid.Nil).Scan(&payment); err != nil {
			return nil, fmt.Errorf("payment of request: %w", err)
		}
	}
	if payment != uuid.Nil {
		if t.Payment, err = s.Payment(ctx, by, payment); err != nil && !errors.Is(err, ErrPaymentNotFound) {
			return nil, err
		}
	}
	if t.Payment != nil {
		request = t.Payment.RequestID
		if err := s.tracePayment(ctx, t); err != nil {
			return nil, err
		}
	}
	if request == uuid.Nil {
		return t, nil
	}
	return t, s.traceRequest(ctx, by, t, request)
}

// tracePayment adds the notification, unless it was deleted after its retention, and the deposit.
func (s *Service) tracePayment(ctx context.Context, t *Trace) (err error) {
	if t.Notification, err = s.event(ctx, t.Payment.EventID); err != nil && !errors.Is(err, ErrEventNotFound) {
		return err
	}
	if t.Payment.TransactionID == uuid.Nil {
		return nil
	}
	t.Deposit, err = s.Ledger.Transaction(ctx, t.Payment.TransactionID)
	return err
}

// traceRequest adds the request and the query that held it.
func (s *Service) traceRequest(ctx context.Context, by caller.Caller, t *Trace, id uuid.UUID) error {
	row, err := s.loadRequest(ctx, by, id)
	if err != nil {
		return err
	}
	if t.Request, err = s.requestOf(ctx, row); err != nil || row.QueryEventID == nil {
		return err
	}
	if t.Query, err = s.event(ctx, *row.QueryEventID); errors.Is(err, ErrEventNotFound) {
		return nil
	}
	return err
}

// event loads one event. Errors: ErrEventNotFound.
func (s *Service) event(ctx context.Context, id uuid.UUID) (*Event, error) {
	var row models.BankEvent
	err := s.PG.Gorm.WithContext(ctx).Where("id = ?", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, ErrEventNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("load event: %w", err)
	}
	return eventOf(&row)
}

func eventOf(row *models.BankEvent) (*Event, error) {
	e := &Event{
		ID: row.ID, Phase: Phase(row.Phase), Address: row.Address, Outcome: row.Outcome, Status: row.Status, Answer: row.Answer, Raw: row.Raw,
		Reference: models.Value(row.Reference), Bank: models.Value(row.BankCode), Phone: models.Value(row.Phone), Amount: money.Amount(models.Value(row.Amount)),
		PaymentID: models.Value(row.PaymentID), RequestID: models.Value(row.RequestID), TokenSlot: row.TokenSlot, RequestHTTP: row.HTTPID,
		Duration: time.Duration(row.DurationUs) * time.Microsecond, Repeats: row.Repeats, LastRepeatAt: models.Value(row.LastRepeatAt).UTC(),
		ReceivedAt: row.ReceivedAt.UTC(),
	}
	if err := json.Unmarshal(row.Checks, &e.Checks); err != nil {
		return nil, fmt.Errorf("checks of event %s: %w", row.ID, err)
	}
	if len(row.Fields) > 0 {
		if err := json.Unmarshal(row.Fields, &e.Fields); err != nil {
			return nil, fmt.Errorf("fields of event %s: %w", row.ID, err)
		}
	}
	return e, nil
}

// EraseEvent erases the body, the fields and the telephone number of an event. The event and its answer are kept.
// Errors: ErrEventNotFound, ErrOperatorOnly.
func (s *Service) EraseEvent(ctx context.Context, by caller.Caller, id uuid.UUID) error {
	if err := requireOperator(by); err != nil {
		return err
	}
	return s.PG.InTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE bank_events SET raw = NULL, fields = NULL, phone = NULL WHERE id = $1`, id)
		if err != nil {
			return fmt.Errorf("erase event: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return ErrEventNotFound
		}
		return recordTx(ctx, tx, by, activity.BankEventsErase, id.String(), nil)
	})
}

// SearchBank returns the stored form of a bank's code. An invalid code is returned unchanged and finds nothing.
func SearchBank(text string) string {
	if code, err := ParseBankCode(text); err == nil {
		return code
	}
	return text
}

// SearchPhone returns the stored form of a telephone number. An invalid number is returned unchanged and finds nothing.
func SearchPhone(text string) string {
	if number, err := phone.Normalise(text); err == nil {
		return number
	}
	return text
}
