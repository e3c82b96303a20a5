package kit

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/clock"
	"banca/internal/platform/money"
)

// A column orders texts as people do, the greatest first if that is asked, rows without a value last, and keeps the order of equal ones.
func TestAColumnSortsRows(t *testing.T) {
	t.Parallel()
	names := TextColumn("label.name", func(row *[2]string) string { return row[0] })
	rows := [][2]string{{"T-10", "1"}, {"", "2"}, {"Ángel", "3"}, {"abeja", "4"}, {"t-9", "5"}, {"ÁNGEL", "6"}, {"ñandú", "7"}, {"nutria", "8"}}
	ids := func(list [][2]string) string {
		texts := make([]string, len(list))
		for i := range list {
			texts[i] = list[i][1]
		}
		return strings.Join(texts, "")
	}
	v := &View{Language: Spanish}
	assert.Equal(t, "43687512", ids(names.sort(v, rows, false)))
	assert.Equal(t, "15783642", ids(names.sort(v, rows, true)))
	assert.Equal(t, "12345678", ids(rows), "the rows stay as they were")

	amounts := AmountColumn("label.amount", func(row *money.Amount) (money.Amount, int) { return *row, 2 })
	assert.Equal(t, []money.Amount{-5, 90, 100, 2000}, amounts.sort(v, []money.Amount{2000, -5, 100, 90}, false))
}

// Only a list of a length that can be read at once is sorted by every column that the file has.
func TestColumnsThatSort(t *testing.T) {
	t.Parallel()
	cell := func(*View, *string) Cell { return None() }
	l := &List[string, struct{}]{Columns: []Column[string]{
		TextColumn("label.name", func(row *string) string { return *row }),
		{Title: "word.actions", Cell: cell},
		{Title: "label.time", Text: func(row *string) string { return *row }, Cell: cell, Orders: Orders{Ascending: "at"}},
		{Title: "label.state", Cell: cell},
		{Title: "label.state", Text: func(row *string) string { return *row }},
	}}
	orders := func(total int64) (list []Orders) {
		for _, c := range l.sortable(total) {
			list = append(list, c.Orders)
		}
		return list
	}
	service := []Orders{{}, {}, {Ascending: "at"}, {}, {}}
	assert.Equal(t, service, orders(1))
	assert.Equal(t, []Orders{{"name", "-name"}, {}, {"at", "-time"}, {"state", "-state"}}, orders(maxSorted)[:4], "the file has the value of the fourth")
	assert.Equal(t, service, orders(maxSorted+1))
	for value, sorts := range map[string]bool{"name": true, "-name": true, "": false, "-": false, "at": false, "label.name": false, "state": true, "time": true, "-time": true, "word.actions": false} {
		assert.Equal(t, sorts, l.sorter(value) != nil, value)
	}
}

// A page is a part of the sorted list; a list that is too long for that keeps its order.
func TestAPageOfASortedList(t *testing.T) {
	t.Parallel()
	all := make([]string, maxSorted+1)
	for i := range all {
		all[i] = string(rune('a' + (i*7)%26))
	}
	total := maxSorted
	l := &List[string, struct{}]{
		Order:   "own",
		Columns: []Column[string]{TextColumn("label.name", func(row *string) string { return *row })},
		Rows: func(_ *Request, w Window) ([]string, int64, error) {
			assert.Equal(t, "own", w.Order, "the service knows its own orders only")
			from := min(w.Offset, total)
			return all[from:min(from+w.Limit, total)], int64(total), nil
		},
	}
	want := slices.Sorted(slices.Values(all[:total]))
	r := &Request{Language: Spanish, site: &Site{Options: Options{Clock: clock.NewFake(time.Time{})}, words: Catalogue{Spanish: {"list.unsorted": "too long: %d"}}}}
	for offset := 0; offset < total+PageSize; offset += PageSize {
		rows, count, err := l.read(r, Window{Limit: PageSize, Offset: offset, Order: "name"})
		assert.NoError(t, err)
		assert.EqualValues(t, total, count)
		assert.Equal(t, want[min(offset, total):min(offset+PageSize, total)], rows)
	}
	assert.Empty(t, r.problem)
	total++
	rows, _, err := l.read(r, Window{Limit: 3, Offset: 5, Order: "-name"})
	assert.NoError(t, err)
	assert.Equal(t, all[5:8], rows)
	assert.Equal(t, "too long: 500", r.problem)
}
