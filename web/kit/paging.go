package kit

import (
	"net/url"
	"strconv"

	"github.com/gin-gonic/gin"
)

// PageSize is how many rows a page of a list has.
const PageSize = 50

const (
	pageParam = "page"
	maxPage   = 10_000
)

// Pager is the shown page of a list, with links to its neighbours.
type Pager struct {
	From, To, Total int64
	Prev, Next      string // addresses, or ""
	CSV             string // address of the list as a CSV file, or ""

	number, limit int
}

// pageOf reads the page of a list from the address; an invalid number means the first.
func pageOf(c *gin.Context) *Pager {
	n, err := strconv.Atoi(c.Query(pageParam))
	if err != nil || n < 1 || n > maxPage {
		n = 1
	}
	return &Pager{number: n, limit: PageSize}
}

// FirstPage reports whether the address is that of a list's first page.
func (r *Request) FirstPage() bool { return pageOf(r.c).number == 1 }

// OfferFile shows the link to the page's rows as a file.
func (r *Request) OfferFile() {
	if r.pager == nil {
		r.pager = &Pager{}
	}
	r.pager.CSV = csvAddress(r.URL())
}

func (p *Pager) offset() int { return (p.number - 1) * PageSize }

// count completes the pager with the numbers of rows.
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
	query := here.Query()
	query.Set(pageParam, strconv.Itoa(n))
	query.Del(doneParam)
	query.Del(besideParam)
	query.Del(formatParam)
	return here.Path + "?" + query.Encode()
}
