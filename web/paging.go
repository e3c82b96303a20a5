package web

import (
	"net/url"
	"strconv"

	"github.com/gin-gonic/gin"
)

const (
	pageParam = "page"
	pageSize  = 50
	maxPage   = 10_000
)

// pager is the shown page of a list, with links to its neighbours.
type pager struct {
	From, To, Total int64
	Prev, Next      string // addresses, or ""
	CSV             string // address of the list as a CSV file, or ""

	number, limit int
}

// pageOf reads the page of a list from the address; an invalid number means the first.
func pageOf(c *gin.Context) *pager {
	n, err := strconv.Atoi(c.Query(pageParam))
	if err != nil || n < 1 || n > maxPage {
		n = 1
	}
	return &pager{number: n, limit: pageSize}
}

// asFile enables the CSV form of a list, and reports whether it is requested: then all rows are read, up to a bound.
func (p *pager) asFile(c *gin.Context) bool {
	if c.Query(formatParam) == formatCSV {
		p.number, p.limit = 1, exportRows
		return true
	}
	p.CSV = csvAddress(c.Request.URL)
	return false
}

func (p *pager) offset() int { return (p.number - 1) * pageSize }

// count completes the pager with the numbers of rows.
func (p *pager) count(here *url.URL, shown int, total int64) *pager {
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
	query.Del(formatParam)
	return here.Path + "?" + query.Encode()
}
