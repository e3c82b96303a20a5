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

// pager says which part of a list is shown and leads to the neighbouring parts.
type pager struct {
	From, To, Total int64
	Prev, Next      string // addresses, "" where there is none
	CSV             string // address of the list as a file, "" where there is none

	number, limit int
}

// pageOf reads which page of a list is asked for; what is no number is the first.
func pageOf(c *gin.Context) *pager {
	n, err := strconv.Atoi(c.Query(pageParam))
	if err != nil || n < 1 || n > maxPage {
		n = 1
	}
	return &pager{number: n, limit: pageSize}
}

// asFile makes a list one that can be had as a file too, and reports whether it is: all of it, up to a bound.
func (p *pager) asFile(c *gin.Context) bool {
	if c.Query(formatParam) == formatCSV {
		p.number, p.limit = 1, exportRows
		return true
	}
	p.CSV = csvAddress(c.Request.URL)
	return false
}

func (p *pager) offset() int { return (p.number - 1) * pageSize }

// count completes the pager with what was found.
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
