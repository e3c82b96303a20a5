package kit

// Live is the line above a list that says whether the list is up to date. It is asked again every few seconds and only
// announces changes, so that the list that is being read does not move. Without scripts it says nothing.
type Live struct {
	ID    string
	Again string // address that answers with the state
	State string // in words
	Show  string // address of the list with what is new; "" without news
	Lost  string // said while no answer comes
}

// Live returns the line of a list that is up to date; again is the address that answers with its state.
func (v *View) Live(id, again string) *Live {
	return &Live{ID: id, Again: again, State: v.T("live.fresh"), Lost: v.T("live.lost", v.Clock(v.now))}
}

// News says what is new; without news the list stays up to date.
func (l *Live) News(count int64, text, show string) *Live {
	if count > 0 {
		l.State, l.Show = text, show
	}
	return l
}
