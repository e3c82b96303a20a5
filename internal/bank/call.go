package bank

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"time"

	"banca/internal/apperr"
)

// Phase is one of the two calls.
type Phase string

// The phases: A asks whether a client may pay, B reports a payment.
const (
	PhaseQuery        Phase = "query"
	PhaseNotification Phase = "notification"
)

// answerName is the field of the phase's answer.
func (p Phase) answerName() string {
	if p == PhaseQuery {
		return "status"
	}
	return "abono"
}

// MaxBody bounds a call's body, in bytes.
const MaxBody = 16 << 10

// callTimeout bounds the work on one call, whether or not the bank still waits.
const callTimeout = 10 * time.Second

// Call is a request as the transport hands it over. Nothing of it is believed yet.
type Call struct {
	Phase          Phase
	Method         string
	Encrypted      bool   // it came over a TLS listener of our own
	Peer           string // address of the connection's other end
	ForwardedFor   []string
	ForwardedProto []string
	Authorization  []string // all headers of this name
	Body           io.Reader
	HTTPID         string // of the request, as in the log
}

// Reply is the answer that the transport sends. Every refusal has the body of the contract: false.
type Reply struct {
	Status     int
	Body       []byte
	RetryAfter time.Duration
}

// Answer answers a call of the bank. The order of the checks is the contract's: method, TLS, source address, size,
// token, JSON, fields, business. The decision and its reason are in the call's event; the answer is true or false
// only.
func (s *Service) Answer(ctx context.Context, call *Call) Reply {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	e := s.newEvent(call)
	answer, err := s.answer(ctx, call, e)
	if err != nil {
		e.refuse(err)
	}
	if !e.stored {
		s.recorder.record(e, s.Clock.Now())
	}
	reply := Reply{Status: e.status, Body: body(call.Phase, answer && err == nil)}
	if err != nil {
		reply.RetryAfter = apperr.From(err).RetryAfter
	}
	return reply
}

func body(phase Phase, answer bool) []byte {
	if answer {
		return []byte(`{"` + phase.answerName() + `":true}`)
	}
	return []byte(`{"` + phase.answerName() + `":false}`)
}

// refusal ends a call before its business: an HTTP status and the name of the check that failed.
type refusal struct {
	status  int
	outcome string
}

func (r *refusal) Error() string { return r.outcome }

// answer goes through the checks. An error is a refusal or a failure; both are answered false.
func (s *Service) answer(ctx context.Context, call *Call, e *event) (bool, error) {
	if err := s.admit(call, e); err != nil {
		return false, err
	}
	raw, err := readBody(call.Body)
	e.raw = raw
	if errors.Is(err, errTooLarge) {
		return false, e.fail(CheckSize, http.StatusRequestEntityTooLarge)
	}
	if err != nil { // cut off, or not as its header says
		return false, e.fail(CheckSize, http.StatusBadRequest)
	}
	e.pass(CheckSize)
	slot, ok := s.tokens.check(call.Authorization, e.at)
	if !ok {
		return false, s.suspicious(e, CheckToken, http.StatusUnauthorized)
	}
	e.pass(CheckToken)
	e.slot = slot
	if !s.calls.allow("", e.at) {
		return false, &refusal{http.StatusTooManyRequests, CheckRate}
	}
	fields, err := parseObject(raw)
	if err != nil {
		return false, e.fail(CheckJSON, http.StatusBadRequest)
	}
	e.pass(CheckJSON)
	if call.Phase == PhaseQuery {
		return s.answerQuery(ctx, fields, e)
	}
	return s.answerNotification(ctx, fields, e)
}

// admit makes the checks that need no body.
func (s *Service) admit(call *Call, e *event) error {
	if call.Method != http.MethodPost {
		return e.fail(CheckMethod, http.StatusMethodNotAllowed)
	}
	e.pass(CheckMethod)
	if !s.gate.encrypted(call.Encrypted, call.Peer, call.ForwardedProto) {
		return s.suspicious(e, CheckTLS, http.StatusForbidden)
	}
	e.pass(CheckTLS)
	if !e.known || !s.gate.permits(e.from) || len(s.tokens.slots) == 0 {
		return s.suspicious(e, CheckAddress, http.StatusForbidden)
	}
	e.pass(CheckAddress)
	return nil
}

// suspicious refuses a call that is not the bank's. Only these are counted against the short bucket of their
// address, and that changes nothing for a call that passes: the bank cannot be locked out by anybody.
func (s *Service) suspicious(e *event, check string, status int) error {
	err := e.fail(check, status)
	if !s.refused.allow(group(e.from), e.at) {
		return &refusal{http.StatusTooManyRequests, check}
	}
	return err
}

// readBody reads the whole body; on an error it returns the part that was read.
func readBody(from io.Reader) ([]byte, error) {
	if from == nil {
		return nil, nil
	}
	raw, err := io.ReadAll(io.LimitReader(from, MaxBody+1))
	if len(raw) > MaxBody {
		return raw[:MaxBody], errTooLarge
	}
	return raw, err
}

var errTooLarge = errors.New("bank: body too large")

// newEvent begins the record of a call.
func (s *Service) newEvent(call *Call) *event {
	e := &event{phase: call.Phase, at: s.Clock.Now().Truncate(time.Microsecond), httpID: call.HTTPID, status: http.StatusOK}
	e.from, e.known = s.gate.source(call.Peer, call.ForwardedFor)
	return e
}

// addressOf shows where a call came from.
func addressOf(from netip.Addr) string {
	if !from.IsValid() {
		return ""
	}
	return from.String()
}
