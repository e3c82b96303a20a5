package bank

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/apperr"
	"banca/internal/money"
	"banca/storage"
)

// The checks of a call, in their order; also the outcome of an event that one of them refused.
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

// Outcomes of the business.
const (
	OutcomeHeld        = "held"         // A: true, the request is held
	OutcomeOpened      = "opened"       // A: true, a request was made on the spot and held
	OutcomeRefused     = "refused"      // A: false
	OutcomeCredited    = "credited"     // B: true, the deposit is booked
	OutcomeSuspense    = "suspense"     // B: true, booked to the suspense wallet
	OutcomeUnmatched   = "unmatched"    // B: false, right in form
	OutcomeConflict    = "conflict"     // B: false, the key is known with another amount
	OutcomeNotApproved = "not_approved" // B: false, CodigoRed is not 00
	OutcomeFailed      = "failed"       // 503, nothing was changed
)

// Outcomes lists what an event can end with: the outcomes of the business, then the checks that refuse a call.
func Outcomes() []string {
	return []string{
		OutcomeHeld, OutcomeOpened, OutcomeRefused, OutcomeCredited, OutcomeSuspense, OutcomeUnmatched, OutcomeConflict, OutcomeNotApproved, OutcomeFailed,
		CheckMethod, CheckTLS, CheckAddress, CheckSize, CheckToken, CheckRate, CheckJSON, CheckFields,
	}
}

// Checks lists the checks, in their order; a call that failed here notes OutcomeFailed after them.
func Checks() []string {
	return []string{
		CheckMethod, CheckTLS, CheckAddress, CheckSize, CheckToken, CheckRate, CheckJSON, CheckFields, CheckMerchant, CheckClient, CheckRequest,
		CheckApproved, CheckKey, CheckBank, OutcomeFailed,
	}
}

// Check is one check of a call and how it went. Detail is a stable word, or the network code that was sent, which
// is short and plain.
type Check struct {
	Name   string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
}

// event is the record of a call while it is answered.
type event struct {
	id      uuid.UUID
	phase   Phase
	at      time.Time
	from    netip.Addr
	known   bool // whether from is an address at all
	slot    string
	httpID  string
	raw     []byte
	checks  []Check
	outcome string
	status  int
	answer  bool

	fields    map[string]string
	reference string
	bank      string
	phone     string
	amount    money.Amount
	payment   uuid.UUID
	request   uuid.UUID
	took      time.Duration
	stored    bool // written, or counted on another event, with the effect it records
}

func (e *event) pass(check string) { e.checks = append(e.checks, Check{Name: check, OK: true}) }

// miss notes a check of the business that answers false.
func (e *event) miss(check, detail string) {
	e.checks = append(e.checks, Check{Name: check, Detail: detail})
}

// fail notes the check that ends the call.
func (e *event) fail(check string, status int) error {
	e.checks = append(e.checks, Check{Name: check})
	return &refusal{status, check}
}

// refuse settles the outcome of a call that an error ended.
func (e *event) refuse(err error) {
	e.answer = false
	if r, ok := errors.AsType[*refusal](err); ok {
		e.status, e.outcome = r.status, r.outcome
		return
	}
	e.status, e.outcome = http.StatusServiceUnavailable, OutcomeFailed
	e.checks = append(e.checks, Check{Name: OutcomeFailed, Detail: apperr.CodeOf(err)})
}

// events are written with one statement however many.
const insertEvents = `INSERT INTO bank_events (id, phase, address, outcome, status, answer, checks, raw, fields, reference, bank_code, phone, amount,
		payment_id, request_id, token_slot, http_id, duration_us, repeats, received_at)
	SELECT i, p, ad, o, s, an, c, r, nullif(f, '')::jsonb, nullif(re, ''), nullif(b, ''), nullif(ph, ''), nullif(am, 0),
		pa, rq, sl, h, d, 0, at
	FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::smallint[], $6::boolean[], $7::jsonb[], $8::bytea[], $9::text[], $10::text[],
		$11::text[], $12::text[], $13::bigint[], $14::uuid[], $15::uuid[], $16::text[], $17::text[], $18::bigint[], $19::timestamptz[])
		AS x (i, p, ad, o, s, an, c, r, f, re, b, ph, am, pa, rq, sl, h, d, at)
	ON CONFLICT (id) DO NOTHING`

// queueEvents queues the insertion of events; now ends their durations.
func queueEvents(b *pgx.Batch, list []*event, now time.Time) error {
	if len(list) == 0 {
		return nil
	}
	n := len(list)
	ids, payments, requests := make(storage.UUIDs, n), make(storage.MaybeUUIDs, n), make(storage.MaybeUUIDs, n)
	phases, addresses, outcomes, fields := make(storage.Texts, n), make(storage.Texts, n), make(storage.Texts, n), make(storage.Texts, n)
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

// identify gives the event its id when it is first written or named.
func (e *event) identify() uuid.UUID {
	if e.id == uuid.Nil {
		e.id = uuid.Must(uuid.NewV7())
	}
	return e.id
}

// encode returns checks and fields as JSON; fields that were never read are "".
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
