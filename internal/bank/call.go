package bank

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"time"

	"banca/internal/platform/apperr"
	"banca/internal/platform/telemetry"
)

// Phase is one of the two calls of the bank.
type Phase string

// The phases: A asks whether a client may pay, B reports a payment.
const (
	PhaseQuery        Phase = "query"
	PhaseNotification Phase = "notification"
)

// answerName returns the name of the field in the phase's answer.
func (p Phase) answerName() string {
	if p == PhaseQuery {
		return "status"
	}
	return "abono"
}

// MaxBody bounds a call's body, in bytes.
const MaxBody = 16 << 10

// callTimeout bounds the work on one call. The work continues if the bank disconnects.
const callTimeout = 10 * time.Second

// Call is a request of the bank before any check.
type Call struct {
	Phase          Phase
	Method         string
	Encrypted      bool   // received by the TLS listener of this process
	Peer           string // remote address of the connection
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

// Answer answers a call of the bank. The checks are in the order of the contract: method, TLS, source address, size,
// token, JSON, fields, business. The answer is only true or false; the reason is in the call's event.
func (s *Service) Answer(ctx context.Context, call *Call) Reply {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	ctx, stage := telemetry.BankCalls.Begin(ctx, string(call.Phase))
	e := s.newEvent(call)
	answer, err := s.answer(ctx, call, e)
	if err != nil {
		e.refuse(err)
	}
	stage.End(err)
	telemetry.BankAnswers.Add(1, string(call.Phase), e.outcome)
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

// refusal is the error of a call that fails a check before the business checks. outcome is the name of that check.
type refusal struct {
	status  int
	outcome string
}

func (r *refusal) Error() string { return r.outcome }

// answer runs the checks. It returns a refusal or the cause of a failure; both are answered false.
func (s *Service) answer(ctx context.Context, call *Call, e *event) (bool, error) {
	if err := s.admit(call, e); err != nil {
		return false, err
	}
	raw, err := readBody(call.Body)
	e.raw = raw
	if errors.Is(err, errTooLarge) {
		return false, e.fail(CheckSize, http.StatusRequestEntityTooLarge)
	}
	if err != nil { // truncated, or not as declared by its headers
		return false, e.fail(CheckSize, http.StatusBadRequest)
	}
	e.pass(CheckSize)
	slot, ok := s.tokens.match(call.Authorization, e.at)
	if !ok {
		return false, s.refuseSource(e, CheckToken, http.StatusUnauthorized)
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

// admit runs the checks that need no body.
func (s *Service) admit(call *Call, e *event) error {
	if call.Method != http.MethodPost {
		return e.fail(CheckMethod, http.StatusMethodNotAllowed)
	}
	e.pass(CheckMethod)
	if !s.gate.encrypted(call.Encrypted, call.Peer, call.ForwardedProto) {
		return s.refuseSource(e, CheckTLS, http.StatusForbidden)
	}
	e.pass(CheckTLS)
	if !e.validFrom || !s.gate.permits(e.from) || len(s.tokens.accepted()) == 0 {
		return s.refuseSource(e, CheckAddress, http.StatusForbidden)
	}
	e.pass(CheckAddress)
	return nil
}

// refuseSource refuses a call that fails a check of its source or token. Only such calls count against the limit of
// their address, and the limit is not applied to calls that pass. So no other client can lock out the bank.
func (s *Service) refuseSource(e *event, check string, status int) error {
	err := e.fail(check, status)
	if !s.refused.allow(sourceKey(e.from), e.at) {
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

// newEvent returns the event of a call, with its time and source.
func (s *Service) newEvent(call *Call) *event {
	e := &event{phase: call.Phase, at: s.Clock.Now().Truncate(time.Microsecond), httpID: call.HTTPID, status: http.StatusOK}
	e.from, e.validFrom = s.gate.source(call.Peer, call.ForwardedFor)
	return e
}

// addressOf returns the text of an address, or "" if it is invalid.
func addressOf(from netip.Addr) string {
	if !from.IsValid() {
		return ""
	}
	return from.String()
}
