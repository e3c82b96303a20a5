package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/ledger"
)

func (a *API) registerBankEvents() {
	tags := []string{"Bank"}
	handle(a, huma.Operation{
		OperationID: "bank-identity", Method: http.MethodGet, Path: "/bank/identity", Tags: tags,
		Summary: "How the bank is recognised: TLS, addresses and tokens, these masked",
	}, Can(auth.BankRead), a.bankIdentity)
	handle(a, huma.Operation{
		OperationID: "list-bank-events", Method: http.MethodGet, Path: "/bank/events", Tags: tags,
		Summary: "The bank's calls and a sample of refused ones, newest first",
	}, Can(auth.BankRead), a.listBankEvents)
	handle(a, huma.Operation{
		OperationID: "get-bank-event", Method: http.MethodGet, Path: "/bank/events/{id}", Tags: tags,
		Summary: "One call with its payment's whole trace: query, hold, notification, deposit",
	}, Can(auth.BankRead), a.getBankEvent)
	handle(a, huma.Operation{
		OperationID: "erase-bank-event", Method: http.MethodPost, Path: "/bank/events/{id}/erase", Tags: tags,
		Summary: "Erase what a call sent", DefaultStatus: http.StatusNoContent,
	}, Can(auth.BankWrite).Sensitive(), a.eraseBankEvent)
	handle(a, huma.Operation{
		OperationID: "list-security-alerts", Method: http.MethodGet, Path: "/bank/alerts", Tags: tags,
		Summary: "Blocked addresses, wrong tokens, conflicts of amounts: counted by hour, newest first",
	}, Can(auth.BankRead), a.listAlerts)
	handle(a, huma.Operation{
		OperationID: "acknowledge-security-alert", Method: http.MethodPost, Path: "/bank/alerts/{id}/acknowledge", Tags: tags,
		Summary: "Note that an alert was seen", DefaultStatus: http.StatusNoContent,
	}, Can(auth.BankWrite), a.acknowledgeAlert)
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

func (a *API) bankIdentity(ctx context.Context, _ *struct{}) (*Data[bankIdentity], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	i, err := a.deps.Bank.Identity(ctx, scope)
	if err != nil {
		return nil, err
	}
	return data(bankIdentity{
		RequireTLS: i.RequireTLS, OwnTLS: i.OwnTLS, TrustedProxies: texts(i.TrustedProxies), AllowedIPs: texts(i.AllowedIPs), Complete: i.Complete,
		OpenDeposits: i.OpenDeposits, Unmatched: i.Unmatched, HoldSeconds: int64(i.Hold / time.Second), Phones: append([]string{}, i.Phones...),
		Tokens: mapped(i.Tokens, func(t bank.TokenState) bankToken {
			return bankToken{Slot: t.Slot, Set: t.Set, Masked: t.Masked, LastUsedAt: given(t.LastUsedAt)}
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
	Fields       map[string]string `json:"fields" doc:"what was read of it, in normal form"`
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
	PageParams
	Phase     string `query:"phase" enum:"query,notification"`
	Outcome   string `query:"outcome" maxLength:"32"`
	Reference string `query:"reference" maxLength:"36"`
	Phone     string `query:"phone" maxLength:"30"`
	Bank      string `query:"bank" maxLength:"4"`
	PaymentID string `query:"payment_id" format:"uuid"`
	Date      string `query:"date" format:"date" doc:"business day of the call"`
	Sort      string `query:"sort" enum:"-created_at" default:"-created_at"`
}

func (a *API) listBankEvents(ctx context.Context, in *bankEventsInput) (*List[bankEvent], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	f := &bank.EventFilter{
		Phase: bank.Phase(in.Phase), Outcome: in.Outcome, Reference: in.Reference, Phone: bank.SearchPhone(in.Phone), Bank: bank.SearchBank(in.Bank),
		Limit: in.PageSize, Offset: in.Offset(),
	}
	f.PaymentID, _ = uuid.Parse(in.PaymentID)      // the format was checked; empty is none
	f.Date, _ = time.Parse(time.DateOnly, in.Date) // as above
	events, total, err := a.deps.Bank.Events(ctx, scope, f)
	if err != nil {
		return nil, err
	}
	return list(mapped(events, bankEventBody), &in.PageParams, total), nil
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
	ID        uuid.UUID `json:"id"`
	Type      string    `json:"type" enum:"deposit"`
	EntityID  uuid.UUID `json:"entityId"`
	Amount    Decimal   `json:"amount"`
	Reference string    `json:"reference"`
	CreatedAt time.Time `json:"created_at"`
}

func (a *API) getBankEvent(ctx context.Context, in *BankParams) (*Data[bankTrace], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	t, err := a.deps.Bank.Trace(ctx, scope, in.ID)
	if err != nil {
		return nil, err
	}
	body := bankTrace{
		Event: bankEventBody(t.Event), Query: present(t.Query, bankEventBody), Notification: present(t.Notification, bankEventBody),
		Request: present(t.Request, paymentRequestBody), Payment: present(t.Payment, bankPaymentBody),
	}
	if t.Deposit != nil && t.Payment != nil {
		body.Deposit = present(t.Deposit, func(d ledger.Transaction) bankDeposit {
			return bankDeposit{
				ID: d.ID, Type: d.Type, EntityID: d.EntityID, Amount: decimal(d.Amount, t.Payment.Currency.Digits), Reference: d.Reference, CreatedAt: d.At.UTC(),
			}
		})
	}
	return data(body), nil
}

// present maps what there is.
func present[T, U any](p *T, f func(T) U) *U {
	if p == nil {
		return nil
	}
	u := f(*p)
	return &u
}

func (a *API) eraseBankEvent(ctx context.Context, in *BankParams) (*struct{}, error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	return nil, a.deps.Bank.EraseEvent(ctx, scope, in.ID)
}

type securityAlert struct {
	ID             uuid.UUID  `json:"id"`
	Kind           string     `json:"kind" enum:"address_blocked,token_wrong,tls_missing,amount_conflict,rejected_after_credit,tasks_lost"`
	Address        string     `json:"address" doc:"or the network of one IPv6 subscriber, or (many)"`
	PaymentID      *uuid.UUID `json:"payment_id"`
	Count          int64      `json:"count"`
	FirstSeenAt    time.Time  `json:"first_seen_at"`
	LastSeenAt     time.Time  `json:"last_seen_at"`
	AcknowledgedBy *uuid.UUID `json:"acknowledged_by"`
	AcknowledgedAt *time.Time `json:"acknowledged_at"`
}

type alertsInput struct {
	PageParams
	Kind string `query:"kind" enum:"address_blocked,token_wrong,tls_missing,amount_conflict,rejected_after_credit,tasks_lost"`
	Open bool   `query:"open" doc:"only those nobody has acknowledged"`
}

func (a *API) listAlerts(ctx context.Context, in *alertsInput) (*List[securityAlert], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	alerts, total, err := a.deps.Bank.Alerts(ctx, scope, &bank.AlertFilter{Kind: in.Kind, Open: in.Open, Limit: in.PageSize, Offset: in.Offset()})
	if err != nil {
		return nil, err
	}
	return list(mapped(alerts, func(x bank.Alert) securityAlert {
		return securityAlert{
			ID: x.ID, Kind: x.Kind, Address: x.Address, PaymentID: given(x.SubjectID), Count: x.Count, FirstSeenAt: x.FirstSeenAt,
			LastSeenAt: x.LastSeenAt, AcknowledgedBy: given(x.AcknowledgedBy), AcknowledgedAt: given(x.AcknowledgedAt),
		}
	}), &in.PageParams, total), nil
}

func (a *API) acknowledgeAlert(ctx context.Context, in *BankParams) (*struct{}, error) {
	return nil, a.deps.Bank.Acknowledge(ctx, callerOf(ctx), in.ID)
}

func bankEventBody(e bank.Event) bankEvent {
	b := bankEvent{
		ID: e.ID, Phase: string(e.Phase), Address: e.Address, Outcome: e.Outcome, Status: e.Status, Answer: e.Answer, Checks: e.Checks, Fields: e.Fields,
		PaymentID: given(e.PaymentID), RequestID: given(e.RequestID), TokenSlot: given(e.TokenSlot), HTTPID: e.RequestHTTP,
		DurationMS: float64(e.Duration.Microseconds()) / 1000, Repeats: e.Repeats, LastRepeatAt: given(e.LastRepeatAt), ReceivedAt: e.ReceivedAt,
	}
	if e.Raw != nil {
		b.Raw = given(string(e.Raw))
	}
	return b
}
