package kit

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
