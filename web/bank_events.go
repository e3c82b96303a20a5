package web

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/bank"
)

// eventsPage is the list of the bank's calls.
type eventsPage struct {
	Filter   url.Values // as typed
	Outcomes []string
	Events   []bank.Event
	Digits   int
	News     string // where to ask whether there are newer ones; "" on a later page
}

func (w *Web) bankEvents(c *gin.Context) {
	pager := pageOf(c)
	filter := w.eventFilter(c)
	asFile := pager.asFile(c)
	filter.Limit, filter.Offset = pager.limit, pager.offset()
	events, total, err := w.deps.Bank.Events(c.Request.Context(), scopeOf(c), filter)
	if err != nil {
		w.stop(c, err)
		return
	}
	if asFile {
		w.sendEvents(c, events)
		return
	}
	page := eventsPage{Filter: c.Request.URL.Query(), Outcomes: bank.Outcomes(), Events: events, Digits: bank.AmountDigits}
	if pager.number == 1 {
		page.News = newsAddress(c.Request.URL, events)
	}
	w.show(c, http.StatusOK, "bank-events", &view{Page: page, Pager: pager.count(c.Request.URL, len(events), total)})
}

// sendEvents sends a list of calls as a file: times in UTC, amounts with a point, durations in milliseconds.
func (w *Web) sendEvents(c *gin.Context, events []bank.Event) {
	rows := make([][]string, len(events))
	for i := range events {
		e := &events[i]
		rows[i] = []string{
			e.ReceivedAt.Format(time.RFC3339Nano), string(e.Phase), e.Outcome, strconv.Itoa(e.Status), strconv.FormatBool(e.Answer),
			e.Amount.Format(bank.AmountDigits), e.Reference, e.Bank, e.Phone, e.Address, strconv.FormatFloat(float64(e.Duration.Microseconds())/1000, 'f', 1, 64),
			strconv.Itoa(e.Repeats), e.ID.String(),
		}
	}
	w.sendCSV(c, "calls", []string{
		"label.received", "label.phase", "label.outcome", "label.status", "label.answer", "label.amount", "label.reference", "label.bank", "label.phone",
		"label.address", "label.took", "label.repeats", "label.id",
	}, rows)
}

// newsAddress is where a page learns of calls newer than those it shows.
func newsAddress(here *url.URL, shown []bank.Event) string {
	query := here.Query()
	query.Set("after", uuid.Nil.String())
	if len(shown) > 0 {
		query.Set("after", shown[0].ID.String())
	}
	return bankPath + "/events/news?" + query.Encode()
}

// newsPart is the number of calls since a page was shown.
type newsPart struct {
	Count int64
	Again string // where to ask again
	Show  string // the list with them
}

// bankNews is polled by an open page: only a line above the list changes, so the list that is being read does not
// move.
func (w *Web) bankNews(c *gin.Context) {
	filter := w.eventFilter(c)
	filter.After, _ = uuid.Parse(c.Query("after")) // an invalid id counts all
	filter.Limit = 1
	_, count, err := w.deps.Bank.Events(c.Request.Context(), scopeOf(c), filter)
	if err != nil {
		w.stop(c, err)
		return
	}
	query := c.Request.URL.Query()
	query.Del("after")
	w.part(c, "bank-events", "news", newsPart{
		Count: count,
		Again: c.Request.URL.RequestURI(),
		Show:  bankPath + "/events?" + query.Encode(),
	})
}

// eventFilter reads the filter.
func (w *Web) eventFilter(c *gin.Context) *bank.EventFilter {
	f := &bank.EventFilter{
		Phase: bank.Phase(c.Query("phase")), Outcome: c.Query("outcome"), Reference: c.Query("reference"), Bank: bank.SearchBank(c.Query("bank")),
		Phone: bank.SearchPhone(c.Query("phone")),
	}
	f.Date, _ = time.Parse(time.DateOnly, c.Query("date")) // an invalid day means no filter
	return f
}

// eventPage is one call with the story of its payment.
type eventPage struct {
	*bank.Trace
	Raw    string
	Digits int
}

func (w *Web) bankEvent(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	trace, err := w.deps.Bank.Trace(c.Request.Context(), scopeOf(c), id)
	if err != nil {
		w.stop(c, err)
		return
	}
	w.render(c, "bank-event", eventPage{Trace: trace, Raw: string(trace.Event.Raw), Digits: bank.AmountDigits})
}

func (w *Web) eraseBankEvent(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	if err := w.deps.Bank.EraseEvent(c.Request.Context(), scopeOf(c), id); err != nil {
		w.stop(c, err)
		return
	}
	w.done(c, bankPath+"/events/"+id.String(), "erased")
}
