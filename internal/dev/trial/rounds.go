package trial

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	correctEvery = 3 // rounds
	decideWithin = 4 * time.Minute
)

// roundSelections are the elements of the game of the rounds. Each pays three times its stake.
func roundSelections() []string { return []string{"1", "2", "3", "4"} }

const roundPayout = 3

// round is a draw that is sold for seconds, then decided, at times corrected, and whose prizes are paid.
type round struct {
	draw   string
	stop   time.Time
	sold   []*operation
	values []string // of the results that were verified, in their order
	missed bool     // it was not decided in time
}

// result is what the api shows of a result.
type result struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Value  string `json:"value"`
}

// decideRounds decides each round after its stop.
func (l *load) decideRounds(ctx context.Context) {
	rng := rand.New(rand.NewPCG(l.seed, 104)) //nolint:gosec // repeatable, not secret
	for i, r := range l.rounds {
		pause(ctx, time.Until(r.stop)+time.Second)
		if ctx.Err() != nil {
			return
		}
		l.decide(ctx, rng, r, i%correctEvery == correctEvery-1)
	}
}

// decide completes what it begins, also when the load ends meanwhile.
func (l *load) decide(ctx context.Context, rng *rand.Rand, r *round, correct bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), decideWithin)
	defer cancel()
	selections := roundSelections()
	first := rng.IntN(len(selections))
	value := selections[first]
	l.publish(ctx, r, value, &operation{Kind: opResult, Path: "/results", actor: l.platform.admin, Body: map[string]any{"draw_id": r.draw, "value": value}})
	l.payPrizes(ctx, rng, r, value)
	if !correct {
		return
	}
	verified := l.results(ctx, r, "verified")
	if len(verified) != 1 {
		return
	}
	next := selections[(first+1)%len(selections)]
	l.publish(ctx, r, next, &operation{
		Kind: opCorrect, Path: "/results/" + verified[0].ID + "/correct", actor: l.platform.admin, Body: map[string]any{"value": next, "reason": "misread"},
	})
	l.payPrizes(ctx, rng, r, next)
}

// publish has a result entered and verified by a second person. Neither takes a key: what became of an attempt is read.
func (l *load) publish(ctx context.Context, r *round, value string, enter *operation) {
	l.client.do(ctx, enter)
	for ctx.Err() == nil {
		if slices.ContainsFunc(l.results(ctx, r, "verified"), func(x result) bool { return x.Value == value }) {
			r.values = append(r.values, value)
			return
		}
		waiting := l.results(ctx, r, "proposed")
		for _, proposed := range waiting {
			l.client.do(ctx, &operation{
				Kind: opVerify, Key: proposed.ID, Path: "/results/" + proposed.ID + "/verify", actor: l.platform.second, Body: map[string]any{"value": value},
			})
		}
		if !enter.good() && len(waiting) == 0 { // refused for a moment, such as before the draw is closed
			again := *enter
			again.certain, again.attempts = false, 0
			enter = &again
			l.client.do(ctx, enter)
		}
		pause(ctx, retryPause)
	}
	r.missed = true
}

// results reads the results of a round with a status, or all of them.
func (l *load) results(ctx context.Context, r *round, status string) (list []result) {
	var all []result
	for ctx.Err() == nil && !l.client.get(ctx, l.platform.admin, "/results?draw_id="+r.draw, &all) {
		pause(ctx, retryPause)
	}
	for _, x := range all {
		if status == "" || x.Status == status {
			list = append(list, x)
		}
	}
	return list
}

// payPrizes pays most of the tickets that have won by a value.
func (l *load) payPrizes(ctx context.Context, rng *rand.Rand, r *round, value string) {
	l.mu.Lock()
	sold := slices.Clone(r.sold)
	l.mu.Unlock()
	paid, most := 0, l.platform.options.shape.prizes
	for _, o := range sold {
		if !o.good() || o.stakeOn(value) == 0 || rng.IntN(4) == 0 {
			continue
		}
		if paid++; most > 0 && paid > most {
			return
		}
		if l.awaitStatus(ctx, o) != "won" {
			continue
		}
		l.client.do(ctx, &operation{
			Kind: opPay, Key: l.key(opPay), Path: "/prizes/" + o.text("id") + "/pay", actor: o.actor, point: o.point,
			amount: o.stakeOn(value) * roundPayout, of: o, Body: map[string]any{"validation_code": o.text("validation_code")},
		})
	}
}

// awaitStatus reads a ticket until it is decided.
func (l *load) awaitStatus(ctx context.Context, o *operation) string {
	for ctx.Err() == nil {
		var ticket struct {
			Status string `json:"status"`
		}
		if l.client.get(ctx, o.actor, "/sales/tickets/"+o.text("id"), &ticket) && ticket.Status != "pending" {
			return ticket.Status
		}
		pause(ctx, retryPause)
	}
	return ""
}

// stakeOn returns what a sale staked on a selection, in minor units.
func (o *operation) stakeOn(selection string) (stake int64) {
	body, _ := o.Body.(map[string]any)
	items, _ := body["items"].([]map[string]any)
	for _, item := range items {
		if item["selection"] == selection {
			text, _ := item["amount"].(string)
			stake += minor(text)
		}
	}
	return stake
}
