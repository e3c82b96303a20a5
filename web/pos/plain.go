package pos

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/platform/apperr"
	"banca/internal/sales"
	"banca/web/admin/links"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

// Bounds of the form without scripts.
const (
	plainDraws = 60 // that can be chosen, the next ones
	plainRows  = 10 // of the field for the lines
	plainLine  = 60 // characters of a line
	plainName  = 100
	plainPath  = Path + "/form"
)

// plainPage is the form that sells without scripts: lines of a number and an amount on each chosen draw.
type plainPage struct {
	Form *kit.Form
	Key  string // of the sale: sending the form twice sells once

	Currency   string // code of the stakes
	Currencies []kit.Choice
	Refused    []plainRefusal
}

// plainRefusal is a refused line, as it was typed.
type plainRefusal struct{ Line, Reason string }

func (p *pages) loadPlain(r *kit.Request) (*plainPage, error) {
	chosen, currencies, err := currency.Choose(r, p.Sales.Ledger)
	if err != nil {
		return nil, err
	}
	offer, err := p.Sales.Catalogue(r.Context(), r.Caller, sales.Desk{EntityID: r.Caller.EntityID, Currency: chosen.Code})
	if err != nil {
		return nil, err
	}
	names := map[uuid.UUID]string{}
	bets, seen := []kit.Option{}, map[string]bool{}
	for _, game := range offer.Games {
		names[game.ID] = game.Name
		for _, bet := range game.BetTypes() {
			if !seen[bet] {
				seen[bet] = true
				bets = append(bets, kit.Option{Value: bet, Text: r.T("bet." + bet)})
			}
		}
	}
	draws := make([]kit.Option, 0, plainDraws)
	for i := range offer.Draws[:min(len(offer.Draws), plainDraws)] {
		d := &offer.Draws[i]
		draws = append(draws, kit.Option{Value: d.ID.String(), Text: names[d.GameID] + " " + r.View().Clock(d.Time)})
	}
	return &plainPage{Key: uuid.NewString(), Currency: chosen.Code, Currencies: currencies, Form: kit.NewForm(
		kit.ChecksInput("draw", "pos.draws", draws).Required(), kit.ChoiceInput("bet", "pos.bets", bets),
		kit.LinesInput("lines", "pos.plain.lines", plainRows).Required().WithRule("pos.plain.rule", true),
		kit.PhoneInput("phone", "label.phone"), kit.TextInput("name", "label.name", plainName),
	)}, nil
}

// sellPlain sells what the form has. A refusal keeps the form, with the reason beside each refused line, and gives it another key unless the same sale
// has to be repeated.
func (p *pages) sellPlain(r *kit.Request) error {
	lines, err := plainLines(r.Text("lines"))
	if err == nil {
		var sold *sales.Sold
		if sold, err = p.Sales.Sell(r.Context(), r.Caller, plainSale(r, lines)); err == nil {
			return r.Done(links.Tickets+"/"+sold.Ticket.ID.String(), "plain.sold")
		}
	}
	if problem, ok := errors.AsType[*plainError](err); ok {
		return p.plain.Present(r, http.StatusUnprocessableEntity, r.Say("pos.plain.unreadable", problem.line), func(page *plainPage) {
			page.Form.FillFrom(r).Refuse("lines")
		})
	}
	return p.plain.ShowRefusal(r, err, func(page *plainPage) {
		page.Form.FillFrom(r)
		if apperr.From(err).Kind == apperr.Unavailable { // the outcome may be unknown: the same sale is repeated
			page.Key = r.Form("key")
		}
		page.refuse(r, err, lines)
	})
}

// plainSale is the sale of lines on the chosen draws, by draw.
func plainSale(r *kit.Request, lines []plainItem) *sales.SellRequest {
	sale := &sales.SellRequest{EntityID: r.Caller.EntityID, Currency: r.Form("currency"), IdempotencyKey: r.Form("key")}
	bet := r.Form("bet")
	for _, draw := range r.Forms("draw") {
		for i := range lines {
			sale.Items = append(sale.Items, sales.Item{DrawID: draw, BetType: bet, Selection: codesOf(bet, lines[i].codes), Amount: lines[i].amount})
		}
	}
	if phone := r.Text("phone"); phone != "" {
		sale.Customer = &sales.NewCustomer{Name: r.Text("name"), Phone: phone}
	}
	return sale
}

// codesOf returns typed codes as the API takes them: those of elements without a leading zero, such as 5 for 05.
func codesOf(bet string, typed []string) []string {
	codes := slices.Clone(typed)
	for i, code := range codes {
		if b := catalog.BetTypeOf(bet); b != nil && b.Grid && len(code) == 2 && code != "00" {
			codes[i] = strings.TrimPrefix(code, "0")
		}
	}
	return codes
}

// refuse shows the reason of each line that a refusal names. A sale has the lines once for each draw.
func (page *plainPage) refuse(r *kit.Request, err error, lines []plainItem) {
	for _, d := range r.Details(err) {
		found := refusedItem.FindStringSubmatch(d.Location)
		if found == nil || len(lines) == 0 {
			continue
		}
		if at, err := strconv.Atoi(found[1]); err == nil {
			page.Refused = append(page.Refused, plainRefusal{Line: lines[at%len(lines)].typed, Reason: d.Message})
		}
	}
	if len(page.Refused) > 0 {
		page.Form.Refuse("lines")
	}
}

var refusedItem = regexp.MustCompile(`^items\[(\d+)\]`)

// plainItem is a typed line: its codes as the API takes them, and its amount as a decimal.
type plainItem struct {
	typed  string
	codes  []string
	amount string
}

// plainError names a line that has no number and amount.
type plainError struct{ line string }

func (e *plainError) Error() string { return fmt.Sprintf("web: unreadable line %q", e.line) }

// plainLines reads lines such as "05 20", "123/5 10" or "5,12,33 2,50". Errors: a plainError.
func plainLines(text string) ([]plainItem, error) {
	var items []plainItem
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		parts := strings.Fields(line)
		if len(parts) != 2 || len(line) > plainLine {
			return nil, &plainError{line}
		}
		codes := strings.FieldsFunc(parts[0], func(c rune) bool { return c == ',' || c == '/' })
		if len(codes) == 0 {
			return nil, &plainError{line}
		}
		items = append(items, plainItem{typed: line, codes: codes, amount: kit.Decimal(parts[1])})
	}
	return items, nil
}
