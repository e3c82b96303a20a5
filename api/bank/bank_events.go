package bank

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/alerts"
	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/phone"
)

func (o *operations) registerBankEvents() {
	tags := []string{"Bank"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "bank-identity", Method: http.MethodGet, Path: "/bank/identity", Tags: tags,
		Summary: "How the bank is recognised: TLS, addresses and tokens, these masked",
	}, kit.Can(auth.BankRead), o.bankIdentity, bank.ErrOperatorOnly, apperr.ErrStore, phone.ErrInvalid)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-bank-events", Method: http.MethodGet, Path: "/bank/events", Tags: tags,
		Summary: "The bank's calls and a sample of refused ones, newest first",
	}, kit.Can(auth.BankRead), o.listBankEvents, bank.ErrField, bank.ErrOperatorOnly, phone.ErrInvalid)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-bank-event", Method: http.MethodGet, Path: "/bank/events/{id}", Tags: tags,
		Summary: "One call with its payment's whole trace: query, hold, notification, deposit",
	}, kit.Can(auth.BankRead), o.getBankEvent,
		bank.ErrEventNotFound, bank.ErrOperatorOnly, bank.ErrPaymentNotFound, bank.ErrRequestNotFound,
		ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "erase-bank-event", Method: http.MethodPost, Path: "/bank/events/{id}/erase", Tags: tags,
		Summary: "Erase what a call sent", DefaultStatus: http.StatusNoContent,
	}, kit.Can(auth.BankWrite).Sensitive(), o.eraseBankEvent, bank.ErrEventNotFound, bank.ErrOperatorOnly)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-security-alerts", Method: http.MethodGet, Path: "/bank/alerts", Tags: tags,
		Summary: "Blocked addresses, wrong tokens, conflicts of amounts: counted by hour, newest first",
	}, kit.Can(auth.BankRead), o.listAlerts, alerts.ErrOperatorOnly)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "acknowledge-security-alert", Method: http.MethodPost, Path: "/bank/alerts/{id}/acknowledge",
		Tags:    tags,
		Summary: "Note that an alert was seen", DefaultStatus: http.StatusNoContent,
	}, kit.Can(auth.BankWrite), o.acknowledgeAlert, alerts.ErrNotFound, alerts.ErrOperatorOnly)
}

type bankIdentity struct {
	RequireTLS     bool        `json:"require_tls"`
	OwnTLS         bool        `json:"own_tls_listener"`
	TrustedProxies []string    `json:"trusted_proxies" nullable:"false"`
	AllowedIPs     []string    `json:"allowed_ips" nullable:"false"`
	Tokens         []bankToken `json:"tokens" nullable:"false"`
	Complete       bool        `json:"complete" doc:"false means that every call is refused"`
	OpenDeposits   bool        `json:"open_deposits"`
	Unmatched      string      `json:"unmatched" enum:"reject,accept"`
	HoldSeconds    int64       `json:"hold_seconds"`
	Phones         []string    `json:"merchant_phones" nullable:"false"`
}

type bankToken struct {
	Slot       string     `json:"slot" enum:"current,next"`
	Set        bool       `json:"set"`
	Masked     string     `json:"masked" example:"••••1a2b"`
	LastUsedAt *time.Time `json:"last_used_at"`
}

func (o *operations) bankIdentity(ctx context.Context, by caller.Caller, _ *struct{}) (*kit.Data[bankIdentity], error) {
	i, err := o.bank.Identity(ctx, by)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(bankIdentity{
		RequireTLS: i.RequireTLS, OwnTLS: i.OwnTLS, TrustedProxies: texts(i.TrustedProxies),
		AllowedIPs: texts(i.AllowedIPs), Complete: i.Complete,
		OpenDeposits: i.OpenDeposits, Unmatched: i.Unmatched, HoldSeconds: int64(i.Hold / time.Second),
		Phones: append([]string{}, i.Phones...),
		Tokens: kit.Map(i.Tokens, func(t bank.TokenState) bankToken {
			return bankToken{Slot: t.Slot, Set: t.Set, Masked: t.Masked, LastUsedAt: kit.Optional(t.LastUsedAt)}
		}),
	}), nil
}

type bankEvent struct {
	ID           uuid.UUID         `json:"id"`
	Phase        string            `json:"phase" enum:"query,notification"`
	Address      string            `json:"address"`
	Outcome      string            `json:"outcome" example:"credited"`
	Status       int               `json:"status" doc:"of HTTP"`
	Answer       bool              `json:"answer"`
	Checks       []bank.Check      `json:"checks" nullable:"false"`
	Raw          *string           `json:"raw" doc:"the body as it came, bytes that are no text replaced; null in lists and after it was erased"`
	Fields       map[string]string `json:"fields" doc:"fields of the call in their normal form"`
	PaymentID    *uuid.UUID        `json:"payment_id"`
	RequestID    *uuid.UUID        `json:"payment_request_id"`
	TokenSlot    *string           `json:"token_slot" enum:"current,next"`
	HTTPID       string            `json:"request_id"`
	DurationMS   float64           `json:"duration_ms"`
	Repeats      int               `json:"repeats" doc:"equal calls that got the same answer"`
	LastRepeatAt *time.Time        `json:"last_repeat_at"`
	ReceivedAt   time.Time         `json:"received_at"`
}

type bankEventsInput struct {
	kit.PageParams
	Phase     string `query:"phase" enum:"query,notification"`
	Outcome   string `query:"outcome" maxLength:"32"`
	Reference string `query:"reference" maxLength:"36"`
	Phone     string `query:"phone" maxLength:"30"`
	Bank      string `query:"bank" maxLength:"4"`
	PaymentID string `query:"payment_id" format:"uuid"`
	Date      string `query:"date" format:"date" doc:"business day of the call"`
	Sort      string `query:"sort" enum:"-created_at" default:"-created_at"`
}

func (o *operations) listBankEvents(
	ctx context.Context, by caller.Caller, in *bankEventsInput,
) (*kit.List[bankEvent], error) {
	f := &bank.EventFilter{
		Phase: bank.Phase(in.Phase), Outcome: in.Outcome, Reference: in.Reference, Phone: bank.SearchPhone(in.Phone),
		Bank:  bank.SearchBank(in.Bank),
		Limit: in.PageSize, Offset: in.Offset(),
		PaymentID: kit.ID(in.PaymentID),
		Date:      kit.Day(in.Date),
	}
	return kit.ListFrom(bankEventBody, &in.PageParams)(o.bank.Events(ctx, by, f))
}

type bankTrace struct {
	Event        bankEvent       `json:"event"`
	Query        *bankEvent      `json:"query" doc:"the call that held the request"`
	Request      *paymentRequest `json:"payment_request"`
	Notification *bankEvent      `json:"notification" doc:"the call that reported the payment"`
	Payment      *bankPayment    `json:"payment"`
	Deposit      *bankDeposit    `json:"deposit"`
}

type bankDeposit struct {
	ID        uuid.UUID   `json:"id"`
	Type      string      `json:"type" enum:"deposit"`
	EntityID  uuid.UUID   `json:"entityId"`
	Amount    kit.Decimal `json:"amount"`
	Reference string      `json:"reference"`
	CreatedAt time.Time   `json:"created_at"`
}

func (o *operations) getBankEvent(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[bankTrace], error) {
	t, err := o.bank.Trace(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	body := bankTrace{
		Event: bankEventBody(t.Event), Query: present(t.Query, bankEventBody),
		Notification: present(t.Notification, bankEventBody),
		Request:      present(t.Request, paymentRequestBody), Payment: present(t.Payment, bankPaymentBody),
	}
	if t.Deposit != nil && t.Payment != nil {
		body.Deposit = present(t.Deposit, func(d ledger.Transaction) bankDeposit {
			return bankDeposit{
				ID: d.ID, Type: d.Type, EntityID: d.EntityID,
				Amount: kit.DecimalOf(d.Amount, t.Payment.Currency.Digits), Reference: d.Reference,
				CreatedAt: d.At.UTC(),
			}
		})
	}
	return kit.DataOf(body), nil
}

// present maps what there is.
func present[T, U any](p *T, f func(T) U) *U {
	if p == nil {
		return nil
	}
	u := f(*p)
	return &u
}

func (o *operations) eraseBankEvent(ctx context.Context, by caller.Caller, in *kit.ByID) (*struct{}, error) {
	return nil, o.bank.EraseEvent(ctx, by, in.ID)
}

type securityAlert struct {
	ID             uuid.UUID  `json:"id"`
	Kind           string     `json:"kind" enum:"address_blocked,token_wrong,tls_missing,amount_conflict,rejected_after_credit,tasks_lost,rate_not_fetched,model_refused"`
	Address        string     `json:"address" doc:"or the network of one IPv6 subscriber, or (many)"`
	PaymentID      *uuid.UUID `json:"payment_id"`
	Count          int64      `json:"count"`
	FirstSeenAt    time.Time  `json:"first_seen_at"`
	LastSeenAt     time.Time  `json:"last_seen_at"`
	AcknowledgedBy *uuid.UUID `json:"acknowledged_by"`
	AcknowledgedAt *time.Time `json:"acknowledged_at"`
}

type alertsInput struct {
	kit.PageParams
	Kind string `query:"kind" enum:"address_blocked,token_wrong,tls_missing,amount_conflict,rejected_after_credit,tasks_lost,rate_not_fetched,model_refused"`
	Open bool   `query:"open" doc:"only alerts that are not acknowledged"`
}

func (o *operations) listAlerts(
	ctx context.Context, by caller.Caller, in *alertsInput,
) (*kit.List[securityAlert], error) {
	list, total, err := o.alerts.List(
		ctx, by, &alerts.Filter{Kind: in.Kind, Open: in.Open, Limit: in.PageSize, Offset: in.Offset()},
	)
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(list, func(x alerts.Alert) securityAlert {
		return securityAlert{
			ID: x.ID, Kind: x.Kind, Address: x.Source, PaymentID: kit.Optional(x.SubjectID), Count: x.Count,
			FirstSeenAt: x.FirstSeenAt,
			LastSeenAt:  x.LastSeenAt, AcknowledgedBy: kit.Optional(x.AcknowledgedBy),
			AcknowledgedAt: kit.Optional(x.AcknowledgedAt),
		}
	}), &in.PageParams, total), nil
}

func (o *operations) acknowledgeAlert(ctx context.Context, by caller.Caller, in *kit.ByID) (*struct{}, error) {
	return nil, o.alerts.Acknowledge(ctx, by, in.ID)
}

func bankEventBody(e bank.Event) bankEvent {
	b := bankEvent{
		ID: e.ID, Phase: string(e.Phase), Address: e.Address, Outcome: e.Outcome, Status: e.Status, Answer: e.Answer,
		Checks: e.Checks, Fields: e.Fields,
		PaymentID: kit.Optional(e.PaymentID), RequestID: kit.Optional(e.RequestID),
		TokenSlot: kit.Optional(e.TokenSlot), HTTPID: e.RequestHTTP,
		DurationMS: float64(e.Duration.Microseconds()) / 1000, Repeats: e.Repeats,
		LastRepeatAt: kit.Optional(e.LastRepeatAt), ReceivedAt: e.ReceivedAt,
	}
	if e.Raw != nil {
		b.Raw = kit.Optional(string(e.Raw))
	}
	return b
}

func texts(prefixes []netip.Prefix) []string {
	list := make([]string, len(prefixes))
	for i, p := range prefixes {
		list[i] = p.String()
	}
	return list
}
