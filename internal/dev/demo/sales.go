package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/setup/seed"
	"banca/models"
)

// errNothingOnSale reports that no draw is on sale.
var errNothingOnSale = errors.New("no draw is on sale")

const (
	catalogueLife = time.Minute
	beforeStop    = 15 * time.Second // nothing is sold so shortly before a stop
	nearDraws     = 30               // of which customers choose
	withPhone     = 40               // tickets in percent
	customers     = 160
	currency      = "VES"
)

// catalogue is the part of GET /sales/catalogue that a robot needs.
type catalogue struct {
	Games []struct {
		ID       uuid.UUID `json:"id"`
		Category string    `json:"category"`
		Digits   int       `json:"digits"`
		Elements []struct {
			Code string `json:"code"`
		} `json:"elements"`
	} `json:"games"`
	Draws []struct {
		ID     uuid.UUID `json:"id"`
		GameID uuid.UUID `json:"game_id"`
		Stop   time.Time `json:"sale_stop_at"`
	} `json:"draws"`

	read time.Time
}

// line is a line of a sale.
type line struct {
	DrawID    uuid.UUID `json:"draw_id"`
	BetType   string    `json:"bet_type"`
	Selection string    `json:"selection"`
	Amount    string    `json:"amount"`
}

// buyer is the customer of a sale.
type buyer struct {
	Name  string `json:"name"`
	Phone string `json:"phone"`
}

// sell sells a ticket and returns its id. Errors: errNothingOnSale.
func (r *robots) sell(ctx context.Context, by *cashier) (string, error) {
	if now := r.clock.Now(); r.sale == nil || now.Sub(r.sale.read) > catalogueLife {
		fresh := &catalogue{read: now}
		if err := r.as(ctx, by, &call{method: http.MethodGet, path: "/sales/catalogue?currency=" + currency}, fresh); err != nil {
			return "", err
		}
		r.sale = fresh
	}
	var body struct {
		Currency string `json:"currency"`
		Customer *buyer `json:"customer,omitempty"`
		Items    []line `json:"items"`
	}
	body.Currency = currency
	for range 1 + r.rng.IntN(2*linesSold-1) {
		l, err := r.line()
		if err != nil {
			return "", err
		}
		body.Items = append(body.Items, l)
	}
	if r.rng.IntN(100) < withPhone {
		c := customerOf(r.rng.IntN(customers))
		body.Customer = &c
	}
	var sold struct {
		ID string `json:"id"`
	}
	err := r.as(ctx, by, &call{method: http.MethodPost, path: "/sales/tickets", key: uuid.NewString(), body: body}, &sold)
	return sold.ID, err
}

// line makes up a line on one of the next draws; the games that come first are played more.
func (r *robots) line() (line, error) {
	rank := map[uuid.UUID]int{}
	for i := range r.sale.Games {
		rank[r.sale.Games[i].ID] = i
	}
	latest := r.clock.Now().Add(beforeStop)
	weights, sum := make([]float64, 0, nearDraws), 0.0
	first := 0
	for first < len(r.sale.Draws) && r.sale.Draws[first].Stop.Before(latest) {
		first++
	}
	near := r.sale.Draws[first:min(first+nearDraws, len(r.sale.Draws))]
	for i := range near {
		weights = append(weights, 1/(1+float64(rank[near[i].GameID])/4)) //nolint:mnd // the fifth game is played half as much
		sum += weights[i]
	}
	left := r.rng.Float64() * sum
	for i := range near {
		if left -= weights[i]; left >= 0 {
			continue
		}
		game := rank[near[i].GameID]
		stakes := r.profile.Stakes
		if r.sale.Games[game].Category == models.CategoryTriples {
			stakes = r.profile.HighStakes
		}
		l := line{DrawID: near[i].ID, Amount: stakes[r.rng.IntN(len(stakes))].Format(2)} //nolint:mnd // digits of a bolívar
		l.BetType, l.Selection = r.selection(game)
		return l, nil
	}
	return line{}, errNothingOnSale
}

// selection returns a plain bet on a game.
func (r *robots) selection(game int) (bet, code string) {
	g := &r.sale.Games[game]
	switch g.Category {
	case models.CategoryTriples:
		bet = catalog.BetTriple
	case models.CategoryTerminales:
		bet = catalog.BetTerminal
	default:
		bet = catalog.BetStraight
	}
	if n := len(g.Elements); n > 0 {
		return bet, g.Elements[r.rng.IntN(n)].Code
	}
	code = fmt.Sprintf("%09d", r.rng.IntN(1_000_000_000)) //nolint:mnd // more digits than any number has
	return bet, code[len(code)-g.Digits:]
}

// customerOf returns the nth customer, who has one telephone.
func customerOf(n int) buyer {
	names := [...]string{
		"María", "José", "Carmen", "Luis", "Ana", "Pedro", "Yolanda", "Ramón", "Luz Marina", "Jesús", "Milagros", "Carlos", "Dayana", "Rafael", "Zoraida", "Miguel",
	}
	surnames := [...]string{"González", "Rodríguez", "Hernández", "Ñáñez", "Márquez", "Pérez", "Suárez", "Bracho", "Quintero", "Peñaloza"}
	return buyer{
		Name:  names[n%len(names)] + " " + surnames[n/len(names)%len(surnames)],
		Phone: fmt.Sprintf("04%d%07d", []int{14, 24, 12, 16}[n%4], (7_919*n+1_234_567)%10_000_000), //nolint:mnd // a telephone number
	}
}

const (
	prizesAtOnce = 2
	prizesSeen   = 20 // of which some winners come
)

// payPrizes pays prizes at the ticket points that sold the tickets. An administrator knows which are due.
func (r *robots) payPrizes(ctx context.Context) error {
	var won []struct {
		TicketID string `json:"ticket_id"`
		Entity   string `json:"entity_name"`
	}
	err := r.as(ctx, r.office, &call{method: http.MethodGet, path: fmt.Sprintf("/prizes?status=won&page_size=%d", prizesSeen)}, &won)
	if err != nil {
		return err
	}
	for _, i := range r.rng.Perm(len(won))[:min(len(won), prizesAtOnce)] {
		for _, by := range r.cashiers {
			if by.place.Name != won[i].Entity {
				continue
			}
			if err := r.payPrize(ctx, by, won[i].TicketID); err != nil {
				return err
			}
		}
	}
	return nil
}

// payPrize pays the prize of a ticket, whose receipt the winner shows.
func (r *robots) payPrize(ctx context.Context, by *cashier, ticket string) error {
	var receipt struct {
		Code string `json:"validation_code"`
	}
	if err := r.as(ctx, by, &call{method: http.MethodGet, path: "/sales/tickets/" + ticket}, &receipt); err != nil {
		return err
	}
	return r.as(ctx, by, &call{
		method: http.MethodPost, path: "/prizes/" + ticket + "/pay", key: uuid.NewString(),
		body: map[string]string{"validation_code": receipt.Code},
	}, nil)
}

// payByBank pays a request of a ticket point by a mobile payment: the bank asks and notifies.
func (r *robots) payByBank(ctx context.Context, by *cashier) error {
	if by == nil {
		return nil
	}
	const least, spread, document = 40, 400, 8_000_000
	n := r.rng.IntN(customers)
	amount, phone := fmt.Sprintf("%d.00", 10*(least+r.rng.IntN(spread))), customerOf(n).Phone //nolint:mnd // whole tens
	payer := fmt.Sprintf("V%d", document+n*n)
	err := r.as(ctx, by, &call{
		method: http.MethodPost, path: "/bank/payment-requests", key: uuid.NewString(),
		body: map[string]string{"amount": amount, "client_id": payer, "client_phone": phone},
	}, nil)
	if err != nil {
		return err
	}
	asked := &call{method: http.MethodPost, path: "/BancoConsulta", authorization: r.bankToken, body: map[string]string{
		"IdCliente": payer, "Monto": amount, "TelefonoComercio": seed.MerchantPhone,
	}}
	if err := r.do(ctx, asked, nil); err != nil {
		return err
	}
	return r.do(ctx, &call{method: http.MethodPost, path: "/BancoNotifica", authorization: r.bankToken, body: map[string]string{
		"Referencia": fmt.Sprintf("%012d", r.rng.Int64N(1_000_000_000_000)), "BancoEmisor": []string{"0102", "0105", "0134", "0108"}[r.rng.IntN(4)],
		"Monto": amount, "CodigoRed": "00", "TelefonoEmisor": phone,
	}}, nil)
}
