package trial

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	beforeStop  = 1500 * time.Millisecond // nothing new is sold on a draw shortly before its stop, unless edges are wanted
	afterStop   = 500 * time.Millisecond  // with edges, sales go on for so long, and are refused
	roundRoom   = 50                      // bolívares: with edges, the limit of a ticket point for an element of a round
	cancelEvery = 8                       // sales of a seller, about
	unit        = 100                     // minor units of one bolívar; stakes are whole ones, so that commissions are exact
)

// load is what the clients do until it ends.
type load struct {
	platform *platform
	client   *clients
	seed     uint64
	serial   atomic.Int64

	pace *pacer // of the sales of all sellers together; each sells after its own pauses when nil

	mu     sync.Mutex
	rounds []*round
	reads  map[string]*reads
	ticks  atomic.Int64
}

// run makes all clients work until ctx ends.
func (l *load) run(ctx context.Context) {
	var running sync.WaitGroup
	for n := range l.platform.options.Sellers {
		running.Go(func() {
			if l.pace != nil {
				l.sellAtPace(ctx, n)
				return
			}
			l.repeat(ctx, uint64(n), l.sellOrCancel)
		})
	}
	running.Go(func() { l.repeat(ctx, 101, l.moveMoney) })
	running.Go(func() { l.repeat(ctx, 102, l.payByBank) })
	running.Go(func() { l.repeat(ctx, 103, l.payByBank) })
	running.Go(func() { l.closeDays(ctx) })
	if l.platform.options.shape.edges {
		today := businessDate(time.Now())
		running.Go(func() { l.each(ctx, l.platform.options.Round, func(n int) { l.export(ctx, n, today) }) })
	}
	running.Go(func() { l.decideRounds(ctx) })
	running.Wait()
}

// repeat calls work with a random source of its own, at the pace of the options.
func (l *load) repeat(ctx context.Context, stream uint64, work func(context.Context, *rand.Rand)) {
	rng := rand.New(rand.NewPCG(l.seed, stream)) //nolint:gosec // repeatable, not secret
	for ctx.Err() == nil {
		work(ctx, rng)
		pause(ctx, l.platform.options.Pause/2+time.Duration(rng.Int64N(int64(l.platform.options.Pause))))
	}
}

// key returns a new Idempotency-Key.
func (l *load) key(kind string) string {
	return fmt.Sprintf("trial-%s-%d", strings.ReplaceAll(kind, " ", "-"), l.serial.Add(1))
}

func (l *load) phone() string { return fmt.Sprintf("0414%07d", 1_000_000+l.serial.Add(1)) }

// sellOrCancel sells at one of the ticket points, and sometimes cancels.
func (l *load) sellOrCancel(ctx context.Context, rng *rand.Rand) {
	o := l.sell(ctx, rng, rng.IntN(len(l.platform.points)))
	if o.good() && rng.IntN(cancelEvery) == 0 {
		l.cancel(ctx, o)
	}
}

// draw returns a draw on sale and what may be played on it: one of a round, or one that stays open.
func (l *load) draw(rng *rand.Rand) (id string, selections []string) {
	margin := beforeStop
	if l.platform.options.shape.edges {
		margin = -afterStop
	}
	if rng.IntN(2) == 0 {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, r := range l.rounds {
			if time.Until(r.stop) > margin {
				return r.draw, roundSelections()
			}
		}
	}
	return l.platform.draws[rng.IntN(len(l.platform.draws))], []string{"1", "5", "12", "33"}
}

func (l *load) sell(ctx context.Context, rng *rand.Rand, point int) *operation {
	draw, selections := l.draw(rng)
	var items []map[string]any
	total := int64(0)
	for _, i := range rng.Perm(len(selections))[:1+rng.IntN(3)] {
		stake := int64(1 + rng.IntN(20))
		total += stake * unit
		items = append(items, map[string]any{"draw_id": draw, "bet_type": "straight", "selection": selections[i], "amount": fmt.Sprintf("%d.00", stake)})
	}
	body := map[string]any{"currency": "VES", "items": items}
	if rng.IntN(3) == 0 {
		body["customer"] = map[string]string{"name": "Cliente", "phone": l.phone()}
	}
	o := &operation{Kind: opSale, Key: l.key(opSale), Path: "/sales/tickets", Body: body, actor: l.platform.points[point].user, amount: total, point: point}
	l.client.do(ctx, o)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.rounds {
		if r.draw == draw {
			r.sold = append(r.sold, o)
		}
	}
	return o
}

func (l *load) cancel(ctx context.Context, sale *operation) {
	o := &operation{
		Kind: opCancel, Key: l.key(opCancel), Path: "/sales/tickets/" + sale.text("id") + "/cancel", actor: l.platform.admin,
		amount: sale.amount, point: sale.point, of: sale,
	}
	l.client.do(ctx, o)
}

// moveMoney deposits, or withdraws what a deposit brought.
func (l *load) moveMoney(ctx context.Context, rng *rand.Rand) {
	point := rng.IntN(len(l.platform.points))
	kind, path := opDeposit, "/deposits"
	if rng.IntN(3) == 0 {
		kind, path = opWithdraw, "/withdrawals"
	}
	key, amount := l.key(kind), int64(1+rng.IntN(500))
	l.client.do(ctx, &operation{
		Kind: kind, Key: key, Path: "/wallets/" + l.platform.points[point].wallet + path, actor: l.platform.admin, point: point, amount: amount * unit,
		Body: map[string]any{"amount": fmt.Sprintf("%d.00", amount), "reference": key},
	})
}

// payByBank announces a payment, which the bank asks for and notifies, at times more than once.
func (l *load) payByBank(ctx context.Context, rng *rand.Rand) {
	point, amount, n := rng.IntN(len(l.platform.points)), int64(1+rng.IntN(900)), l.serial.Add(1)
	phone, text := l.phone(), fmt.Sprintf("%d.00", amount)
	client := fmt.Sprintf("V%d", 10_000_000+n)
	request := &operation{
		Kind: opRequest, Key: l.key(opRequest), Path: "/bank/payment-requests", actor: l.platform.points[point].user, point: point, amount: amount * unit,
		Body: map[string]any{"amount": text, "client_id": client, "client_phone": phone},
	}
	l.client.do(ctx, request)
	if !request.good() {
		return
	}
	l.client.do(ctx, &operation{
		Kind: opQuery, Key: client, Path: "/BancoConsulta", actor: l.platform.bank,
		Body: map[string]any{"IdCliente": client, "Monto": text, "TelefonoComercio": l.platform.merchant},
	})
	reference := fmt.Sprintf("%012d", n)
	for range 1 + rng.IntN(2) {
		l.client.do(ctx, &operation{
			Kind: opNotify, Key: reference, Path: "/BancoNotifica", actor: l.platform.bank, point: point, amount: amount * unit, of: request,
			Body: map[string]any{"Referencia": reference, "BancoEmisor": "0134", "Monto": text, "CodigoRed": "00", "TelefonoEmisor": phone},
		})
	}
}

// closeDays opens and closes the day of each ticket point once, in the middle of the load.
func (l *load) closeDays(ctx context.Context) {
	for i, p := range l.platform.points {
		pause(ctx, l.platform.options.shape.closing)
		open := &operation{
			Kind: opOpen, Key: l.key(opOpen), Path: "/sales/daily-closes", actor: l.platform.admin, point: i,
			Body: map[string]any{"entityId": p.id, "currency": "VES", "opening_cash": "100.00"},
		}
		l.client.do(ctx, open)
		if open.good() {
			l.client.do(ctx, &operation{
				Kind: opClose, Key: l.key(opClose), Path: "/sales/daily-closes/" + open.text("id") + "/close", actor: l.platform.admin, point: i, of: open,
				Body: map[string]any{"cash": map[string]any{"other": "100.00"}},
			})
		}
	}
}

// resolve repeats each operation whose outcome its client left open, until it is certain, and returns those that stay
// open and those that were refused although they had been done. Faults are over.
func (l *load) resolve(ctx context.Context) (left, misled []*operation) {
	for _, o := range l.client.journal.all("") {
		late := o.certain && o.Status >= http.StatusBadRequest && o.unanswered > 0 && o.keyed()
		if late { // an attempt without an answer may have had an effect after the refusal
			o.certain = false
		}
		if !o.certain {
			l.client.do(ctx, o)
		}
		if !o.certain {
			left = append(left, o)
		}
		if late && o.good() {
			misled = append(misled, o)
		}
	}
	return left, misled
}

// keyed reports whether a repeat is answered by its key.
func (o *operation) keyed() bool {
	return !slices.Contains([]string{opResult, opVerify, opCorrect, opQuery}, o.Kind)
}
