package kit

import (
	"slices"
	"time"
)

// Timeline is a list of the events of an object, in order.
type Timeline struct {
	Events []TimelineEvent

	view *View
}

// TimelineEvent is an event of a timeline. Its class is "good", "bad" or "".
type TimelineEvent struct {
	Class string
	Title string
	Link  string // address of the title
	State *Badge
	At    Moment
	Text  string

	at time.Time
}

// Timeline returns an empty timeline.
func (v *View) Timeline() *Timeline { return &Timeline{view: v} }

// Add adds an event. The zero time means that the event has no time.
func (t *Timeline) Add(class, title string, at time.Time) *Timeline {
	t.Events = append(t.Events, TimelineEvent{Class: class, Title: title, At: t.view.Time(at), at: at})
	return t
}

// AddIf adds an event only if it has a time.
func (t *Timeline) AddIf(class, title string, at time.Time) *Timeline {
	if at.IsZero() {
		return t
	}
	return t.Add(class, title, at)
}

// WithText adds a text to the last event. An empty text adds nothing.
func (t *Timeline) WithText(text string) *Timeline {
	last := &t.Events[len(t.Events)-1]
	if last.Text != "" && text != "" {
		text = last.Text + " · " + text
	}
	if text != "" {
		last.Text = text
	}
	return t
}

// To makes the title of the last event a link. An empty address adds nothing.
func (t *Timeline) To(address string) *Timeline {
	t.Events[len(t.Events)-1].Link = address
	return t
}

// State sets the state of an object on the last event.
func (t *Timeline) State(kind string, state any) *Timeline {
	badge := t.view.State(kind, state)
	t.Events[len(t.Events)-1].State = &badge
	return t
}

// Sorted sorts the events by their times. Events of the same time keep their order.
func (t *Timeline) Sorted() *Timeline {
	slices.SortStableFunc(t.Events, func(a, b TimelineEvent) int { return a.at.Compare(b.at) })
	return t
}
