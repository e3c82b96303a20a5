package banksim

import (
	"maps"
	"strings"

	"github.com/google/uuid"

	"banca/internal/bank/bankfield"
)

// atOnce is how many calls AtOnce makes.
const atOnce = 20

// The network codes of CodeThenApproved.
const (
	codeRefused  = "51" // not enough funds
	codeApproved = "00"
)

// call is one call to make.
type call struct {
	phase      Phase
	url        string
	token      string // the operator's; "" sends no Authorization header
	wrongToken string // sent instead, unless ""
	body       string
}

// authorization returns the value of the Authorization header.
func (c *call) authorization() string {
	if c.wrongToken != "" {
		return c.wrongToken
	}
	return c.token
}

// step is a call and how many of it are made at once. The steps of a plan follow one another.
type step struct {
	call  *call
	times int
}

// planner lays out a checked run; the first error stays.
type planner struct {
	run   *Run
	base  string
	wrong string // the random token of WrongToken
	steps []step
	err   error
}

// plan returns the steps of a checked run on a target.
func plan(run *Run, base string) ([]step, error) {
	p := &planner{run: run, base: base}
	if run.Scenario == WrongToken {
		p.wrong = otherToken(run.Token)
	}
	last := run.Phase
	if run.Phase == PhaseAB {
		p.add(PhaseA, nil, 1)
		last = PhaseB
	}
	switch run.Scenario {
	case AtOnce:
		p.add(last, nil, atOnce)
	case Repeat:
		p.add(last, nil, 1)
		p.add(last, nil, 1)
	case WrongAmount:
		amount, _ := oneCentMore(run.Fields[bankfield.Amount]) // it was checked
		p.add(last, map[string]string{bankfield.Amount: amount}, 1)
	case CodeThenApproved:
		p.add(last, map[string]string{bankfield.NetworkCode: codeRefused}, 1)
		p.add(last, map[string]string{bankfield.NetworkCode: codeApproved}, 1)
	case Plain, WrongToken, Malformed:
		p.add(last, nil, 1)
	}
	return p.steps, p.err
}

// add appends a step of a phase; changed fields take the place of those typed.
func (p *planner) add(phase Phase, changed map[string]string, times int) {
	fields := maps.Clone(p.run.Fields)
	if fields == nil {
		fields = map[string]string{}
	}
	maps.Copy(fields, changed)
	body, err := encode(phase, fields)
	if err != nil && p.err == nil {
		p.err = err
	}
	if p.run.Scenario == Malformed {
		body = strings.TrimSuffix(body, "}")
	}
	c := &call{phase: phase, url: p.base + phase.path(), token: p.run.Token, wrongToken: p.wrong, body: body}
	p.steps = append(p.steps, step{call: c, times: times})
}

// otherToken returns a random UUID that is not token.
func otherToken(token string) string {
	for {
		if other := uuid.NewString(); !strings.EqualFold(other, token) {
			return other
		}
	}
}
