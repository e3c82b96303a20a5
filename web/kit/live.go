package kit

import "github.com/google/uuid"

// newsParam is the parameter of the address of News with the id of the newest shown row.
const newsParam = "after"

// Live is the line above a list that shows whether the list is up to date. A script polls its state every five seconds.
// New rows are announced by a link and not inserted, so that the shown rows do not move. A poll reads one count; the stream of a page (Route.Live)
// would read the whole list again for each browser. Without scripts the line shows
// the state at the time when the page was written.
type Live struct {
	ID             string
	PollAddress    string // address that returns the template part live-state
	State          string // text of the state
	NewsLink       string // address of the list with the new rows; "" for none
	ConnectionLost string // text that is shown while polls fail
}

// Live returns the line of a list that is up to date.
func (v *View) Live(id, pollAddress string) *Live {
	return &Live{ID: id, PollAddress: pollAddress, State: v.T("live.fresh"), ConnectionLost: v.T("live.lost", v.Clock(v.now))}
}

// WithNews sets the text and the link for count new rows. If count is 0, the list stays up to date.
func (l *Live) WithNews(count int64, text, link string) *Live {
	if count > 0 {
		l.State, l.NewsLink = text, link
	}
	return l
}

// News is the number of rows that are newer than the rows of a list, with the address of the list that has them.
type News struct {
	Count int64
	Link  string
}

// NewsAddress returns the address that answers with the News of a list at an address. shown are the ids of its rows.
func NewsAddress(r *Request, list string, shown []uuid.UUID) string {
	query := r.URL().Query()
	query.Set(newsParam, append(shown, uuid.Nil)[0].String())
	return list + "/news?" + query.Encode()
}

// NewsPart answers a poll of the News of a list with the part of its page. The shown rows do not change.
func NewsPart(r *Request, page, list string, count int64) error {
	query := r.URL().Query()
	query.Del(newsParam)
	return r.Part(page, "news", News{Count: count, Link: list + "?" + query.Encode()})
}
