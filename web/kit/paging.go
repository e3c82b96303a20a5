package kit

import (
	"net/url"
	"strconv"
	"strings"

	"banca/internal/platform/sheet"
)

// PageSize is the number of rows of a page of a list on a screen, and the most that a page reads of a list without pages.
const PageSize = 50

const (
	phoneSize = 20 // rows of a page of a list on a phone, where each is a card

	pageParam = "page"
	maxPage   = 10_000

	// manyRows is storage.MaxCounted: a total from there on is a lower bound.
	manyRows = 10_000
)

// Pager is the shown page of a list, with links to its neighbours.
type Pager struct {
	From, To, Total int64
	Prev, Next      string   // addresses, or ""
	CSV, XLSX       string   // addresses of the list as a file, or ""
	Sums            []string // of amounts, if all rows are shown
	Sorted          int      // the number of rows up to which each column orders the list; 0 if the list has no more

	number, limit int
	counted       int64 // Total is a lower bound from there on
}

// Many reports whether there may be more rows than Total, which is the bound of its count. A greater one is exact.
func (p *Pager) Many() bool {
	return p.counted > 0 && p.Total == max(p.counted, int64(p.offset()+p.limit)+1)
}

// PageSize is the number of rows of a page of a list for the browser. Browsers of phones name themselves "Mobi".
// Source: https://developer.mozilla.org/docs/Web/HTTP/Guides/Browser_detection_using_the_user_agent
func (r *Request) PageSize() int {
	if strings.Contains(r.c.Request.UserAgent(), "Mobi") {
		return phoneSize
	}
	return PageSize
}

// pageOfList returns the page of a list that the address names. An invalid number means the first page.
func (r *Request) pageOfList() *Pager {
	n, err := strconv.Atoi(r.Query(pageParam))
	if err != nil || n < 1 || n > maxPage {
		n = 1
	}
	return &Pager{number: n, limit: r.PageSize(), counted: manyRows}
}

// AtTop reports whether the address names the first page of a list in its own order.
func (r *Request) AtTop() bool { return r.pageOfList().number == 1 && r.Query(orderParam) == "" }

// OfferFile shows the links that export the list.
func (r *Request) OfferFile() {
	if r.pager == nil {
		r.pager = &Pager{}
	}
	r.pager.CSV, r.pager.XLSX = fileAddress(r.URL(), sheet.CSV), fileAddress(r.URL(), sheet.XLSX)
}

func (p *Pager) offset() int { return (p.number - 1) * p.limit }

// count sets the numbers and links of the pager for the number of shown rows and the total.
func (p *Pager) count(here *url.URL, shown int, total int64) *Pager {
	p.Total = total
	p.From, p.To = int64(p.offset())+1, int64(p.offset()+shown)
	if shown == 0 {
		p.From = p.To
	}
	if p.number > 1 {
		p.Prev = pageAddress(here, p.number-1)
	}
	if p.To < total {
		p.Next = pageAddress(here, p.number+1)
	}
	return p
}

func pageAddress(here *url.URL, n int) string {
	query := listQuery(here)
	query.Set(pageParam, strconv.Itoa(n))
	return here.Path + "?" + query.Encode()
}
