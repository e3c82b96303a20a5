package sales

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/ledger"
	"banca/internal/platform/money"
)

const (
	habitsPeriod = 30 * 24 * time.Hour // of what was spent
	favourites   = 5
)

// Habits are what a customer bought lately. Cancelled tickets do not count.
type Habits struct {
	Last    time.Time // the newest ticket; zero for none
	Spent   []Spent   // in the last 30 days
	AtLeast bool      // there may be more tickets in that time
	Numbers []string  // the most frequent ones, each once: 5 León, or a number alone
}

// Spent is an amount in a currency.
type Spent struct {
	Currency ledger.Currency
	Amount   money.Amount
}

// HabitsOf sums up the newest tickets of a customer with total tickets.
func HabitsOf(newest []Ticket, total int64, now time.Time) *Habits {
	h, since := &Habits{}, now.Add(-habitsPeriod)
	h.AtLeast = int64(len(newest)) < total && len(newest) > 0 && newest[len(newest)-1].CreatedAt.After(since)
	spent, played := map[uuid.UUID]*Spent{}, map[string]int{}
	for i := range newest {
		t := &newest[i]
		if t.cancelled() {
			continue
		}
		if h.Last.IsZero() {
			h.Last = t.CreatedAt
		}
		for j := range t.Lines {
			if l := &t.Lines[j]; l.Name != "" {
				played[strings.TrimPrefix(l.Selection+" "+l.Name, l.Name+" ")]++
			}
		}
		if t.CreatedAt.Before(since) {
			continue
		}
		if spent[t.Currency.ID] == nil {
			spent[t.Currency.ID] = &Spent{Currency: t.Currency}
		}
		spent[t.Currency.ID].Amount += t.Total
	}
	for _, sum := range spent {
		h.Spent = append(h.Spent, *sum)
	}
	slices.SortFunc(h.Spent, func(a, b Spent) int { return a.Currency.Order(&b.Currency) })
	h.Numbers = slices.Collect(maps.Keys(played))
	slices.SortFunc(h.Numbers, func(a, b string) int { return cmp.Or(played[b]-played[a], cmp.Compare(a, b)) })
	h.Numbers = h.Numbers[:min(len(h.Numbers), favourites)]
	return h
}
