package bank

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/alerts"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
	"banca/storage"
)

// The checks of a call, in their order. The name of a check is also the outcome of a call that it refused.
const (
	CheckMethod  = "method"
	CheckTLS     = "tls"
	CheckAddress = "address"
	CheckSize    = "size"
	CheckToken   = "token"
	CheckRate    = "rate"
	CheckJSON    = "json"
	CheckFields  = "fields"

	CheckMerchant = "merchant_phone"
	CheckClient   = "client"
	CheckRequest  = "payment_request"
	CheckApproved = "approved"
	CheckKey      = "reference_key"
	CheckBank     = "bank"
)

// Outcomes of calls that passed all checks before the business.
const (
	OutcomeHeld        = "held"         // A: true, the request is held
	OutcomeOpened      = "opened"       // A: true, a request was created for the call and held
	OutcomeRefused     = "refused"      // A: false
	OutcomeCredited    = "credited"     // B: true, the deposit is booked
	OutcomeSuspense    = "suspense"     // B: true, booked to the suspense wallet
	OutcomeUnmatched   = "unmatched"    // B: false, the payment is valid but fits no request
	OutcomeConflict    = "conflict"     // B: false, the key is known with another amount
	OutcomeNotApproved = "not_approved" // B: false, CodigoRed is not 00
	OutcomeFailed      = "failed"       // 503, nothing was changed
)

// Outcomes returns all outcomes of an event: the business outcomes, then the checks that refuse a call.
func Outcomes() []string {
	return []string{
		OutcomeHeld, OutcomeOpened, OutcomeRefused, OutcomeCredited, OutcomeSuspense, OutcomeUnmatched, OutcomeConflict,
		OutcomeNotApproved, OutcomeFailed,
		CheckMethod, CheckTLS, CheckAddress, CheckSize, CheckToken, CheckRate, CheckJSON, CheckFields,
	}
}

// AlertedOutcome returns the outcome of the calls that a kind of alert is about, "" for other kinds.
func AlertedOutcome(kind string) string {
	switch kind {
	case alerts.AddressBlocked:
		return CheckAddress
	case alerts.TokenWrong:
		return CheckToken
	case alerts.TLSMissing:
		return CheckTLS
	case alerts.AmountConflict:
		return OutcomeConflict
	}
	return ""
}

// Checks returns the checks in their order. The last, OutcomeFailed, is recorded if the call failed internally.
func Checks() []string {
	return []string{
		CheckMethod, CheckTLS, CheckAddress, CheckSize, CheckToken, CheckRate, CheckJSON, CheckFields, CheckMerchant,
		CheckClient, CheckRequest,
		CheckApproved, CheckKey, CheckBank, OutcomeFailed,
	}
}

// Check is one check of a call with its result. Detail is the reason of a failed check: a stable code, the name of a
// field, or the network code that was sent.
type Check struct {
	Name   string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
}

// event is the record of a call while it is answered.
type event struct {
	id        uuid.UUID
	phase     Phase
	at        time.Time
	from      netip.Addr
	validFrom bool // from is an address
	slot      string
	httpID    string
	raw       []byte
	checks    []Check
	outcome   string
	status    int
	answer    bool

	fields    map[string]string
	reference string
	bank      string
	phone     string
	amount    money.Amount
	payment   uuid.UUID
	request   uuid.UUID
	took      time.Duration
	stored    bool // written in the transaction of its effect, or counted as a repeat there
}

func (e *event) pass(check string) { e.checks = append(e.checks, Check{Name: check, OK: true}) }

// failBusiness records a failed check of the business. The call is answered false.
func (e *event) failBusiness(check, detail string) {
	e.checks = append(e.checks, Check{Name: check, Detail: detail})
}

// fail records a failed check and returns the refusal that ends the call.
func (e *event) fail(check string, status int) error {
	e.checks = append(e.checks, Check{Name: check})
	return &refusal{status, check}
}

// refuse sets the status and outcome of a call that ended with err.
func (e *event) refuse(err error) {
	e.answer = false
	if r, ok := errors.AsType[*refusal](err); ok {
		e.status, e.outcome = r.status, r.outcome
		return
	}
	e.status, e.outcome = http.StatusServiceUnavailable, OutcomeFailed
	e.checks = append(e.checks, Check{Name: OutcomeFailed, Detail: apperr.CodeOf(err)})
}

// insertEvents inserts any number of events in one statement.
const insertEvents = `INSERT INTO bank_events (id, phase, address, outcome, status, answer, checks, raw, fields, reference, bank_code, phone, amount,
		payment_id, request_id, token_slot, http_id, duration_us, repeats, received_at)
	SELECT i, p, ad, o, s, an, c, r, nullif(f, '')::jsonb, nullif(re, ''), nullif(b, ''), nullif(ph, ''), nullif(am, 0),
		pa, rq, sl, h, d, 0, at
	FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::smallint[], $6::boolean[], $7::jsonb[], $8::bytea[], $9::text[], $10::text[],
		$11::text[], $12::text[], $13::bigint[], $14::uuid[], $15::uuid[], $16::text[], $17::text[], $18::bigint[], $19::timestamptz[])
		AS x (i, p, ad, o, s, an, c, r, f, re, b, ph, am, pa, rq, sl, h, d, at)
	ON CONFLICT (id) DO NOTHING`

// queueEvents queues the insertion of events. An event without a duration lasted until now.
func queueEvents(b *pgx.Batch, list []*event, now time.Time) error {
	if len(list) == 0 {
		return nil
	}
	n := len(list)
	ids, payments, requests := make(storage.UUIDs, n), make(storage.MaybeUUIDs, n), make(storage.MaybeUUIDs, n)
	phases, addresses, outcomes, fields := make(storage.Texts, n), make(storage.Texts, n), make(storage.Texts, n), make(
		storage.Texts, n,
	)
	references, banks, phones, slots, httpIDs := make(storage.Texts, n), make(storage.Texts, n), make(storage.Texts, n), make(storage.Texts, n), make(storage.Texts, n)
	statuses, answers, raws, checks := make(storage.Smallints, n), make(storage.Booleans, n), make(storage.Blobs, n), make([]string, n)
	amounts, durations, times := make(storage.Bigints, n), make(storage.Bigints, n), make(storage.Timestamps, n)
	for i, e := range list {
		encoded, err := e.encode()
		if err != nil {
			return err
		}
		checks[i], fields[i] = encoded[0], encoded[1]
		ids[i], payments[i], requests[i] = e.identify(), e.payment, e.request
		phases[i], addresses[i], outcomes[i] = string(e.phase), addressOf(e.from), e.outcome
		references[i], banks[i], phones[i], slots[i], httpIDs[i] = e.reference, e.bank, e.phone, e.slot, e.httpID
		statuses[i], answers[i], raws[i] = int16(e.status), e.answer, e.raw
		amounts[i], times[i] = int64(e.amount), e.at
		if e.took == 0 {
			e.took = now.Sub(e.at)
		}
		durations[i] = e.took.Microseconds()
	}
	b.Queue(insertEvents, ids, phases, addresses, outcomes, statuses, answers, checks, raws, fields, references, banks, phones, amounts,
		payments, requests, slots, httpIDs, durations, times)
	return nil
}

// identify returns the id of the event. The first call creates it.
func (e *event) identify() uuid.UUID {
	if e.id == uuid.Nil {
		e.id = uuid.Must(uuid.NewV7())
	}
	return e.id
}

// encode returns checks and fields as JSON. The fields are "" if the call ended before they were read.
func (e *event) encode() (out [2]string, err error) {
	checks, err := json.Marshal(e.checks)
	if err != nil {
		return out, err
	}
	out[0] = string(checks)
	if e.fields == nil {
		return out, nil
	}
	fields, err := json.Marshal(e.fields)
	out[1] = string(fields)
	return out, err
}
