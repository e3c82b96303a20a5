package kit

import "slices"

// Head is the head of a page: the pages above it, its title, states and facts, related pages and actions.
type Head struct {
	Crumbs  []MenuLink // pages above it, the highest first
	Title   string
	Code    string // of the object, such as a serial code; shown after the title
	Picture string // address; "" for none
	States  []Badge
	Note    string
	Facts   []Fact
	Links   []MenuLink   // related pages
	Action  *MenuLink    // the main action
	More    []MenuLink   // other actions, in a menu
	Asks    []*Question  // actions that ask before they are done
	Grave   []*Question  // irreversible or rare actions, in the menu
	Choices *Segments    // of the page, such as currencies; nil for none
	Stream  *StreamState // of a page whose elements follow the server; nil for none

	view *View
}

// Fact is a property of an object with its value.
type Fact struct {
	Name  string
	Value Cell
}

// Head returns the head of a page.
func (v *View) Head(title string) *Head { return &Head{Title: title, view: v} }

// MoreText returns the text of the menu of other actions.
func (h *Head) MoreText() string { return h.view.T("head.more") }

// View returns the view of the page, for parts of the head.
func (h *Head) View() *View { return h.view }

// CrumbsText is the label of the pages above for screen readers.
func (h *Head) CrumbsText() string { return h.view.T("head.above") }

// Parent adds a page above this one, after those added before.
func (h *Head) Parent(title, address string) *Head {
	h.Crumbs = append(h.Crumbs, MenuLink{Title: title, Path: address})
	return h
}

// Parents adds pages above this one, after those added before.
func (h *Head) Parents(above []MenuLink) *Head {
	h.Crumbs = append(h.Crumbs, above...)
	return h
}

// WithCode adds the code of the object.
func (h *Head) WithCode(code string) *Head {
	h.Code = code
	return h
}

// WithPicture adds the picture of the object. An empty address adds nothing.
func (h *Head) WithPicture(picture string) *Head {
	h.Picture = picture
	return h
}

// State adds a state of a kind of object.
func (h *Head) State(kind string, state any) *Head {
	return h.StateIf(true, kind, state)
}

// StateIf adds a state if has is true.
func (h *Head) StateIf(has bool, kind string, state any) *Head {
	if has {
		h.States = append(h.States, h.view.State(kind, state))
	}
	return h
}

// WithNote adds a note after the states.
func (h *Head) WithNote(note string) *Head {
	h.Note = note
	return h
}

// Fact adds a property of the object below the title: the key of its name, and its value.
func (h *Head) Fact(name string, value Cell) *Head {
	h.Facts = append(h.Facts, Fact{Name: h.view.T(name), Value: value})
	return h
}

// Link adds a link to a related page. An empty address adds nothing.
func (h *Head) Link(title, address string) *Head {
	if address != "" {
		h.Links = append(h.Links, MenuLink{Title: title, Path: address})
	}
	return h
}

// Related adds links whose titles are keys.
func (h *Head) Related(links []MenuLink) *Head {
	for _, link := range links {
		h.Link(h.view.T(link.Title), link.Path)
	}
	return h
}

// Choose adds the choices of the page. label is a key.
func (h *Head) Choose(label string, choices []Choice) *Head {
	h.Choices = h.view.Segments(label, choices)
	return h
}

// Follow shows whether the elements of the page are up to date.
func (h *Head) Follow() *Head {
	h.Stream = h.view.StreamState()
	return h
}

// FollowRead is Follow for a page whose content may be bad news: the line says when the page was read, not that all is well.
func (h *Head) FollowRead() *Head {
	h.Stream = h.view.StreamState()
	h.Stream.Fresh = h.view.words["health.read"]
	return h
}

// MainAction adds the main action if has is true.
func (h *Head) MainAction(has bool, title, address string) *Head {
	if has {
		h.Action = &MenuLink{Title: title, Path: address}
	}
	return h
}

// OtherAction adds an action to the menu of other actions if has is true.
func (h *Head) OtherAction(has bool, title, address string) *Head {
	if has {
		h.More = append(h.More, MenuLink{Title: title, Path: address})
	}
	return h
}

// Ask adds an action with a question: one that cannot be undone to the menu of other actions. A nil question adds nothing.
func (h *Head) Ask(q *Question) *Head {
	switch {
	case q == nil:
	case q.Danger:
		h.Grave = append(h.Grave, q)
	default:
		h.Asks = append(h.Asks, q)
	}
	return h
}

// OtherAsk adds an action with a question to the menu of other actions.
func (h *Head) OtherAsk(q *Question) *Head {
	h.Grave = append(h.Grave, q)
	return h
}

// Refused reports whether a question of the menu is open.
func (h *Head) Refused() bool {
	return slices.ContainsFunc(h.Grave, func(q *Question) bool { return q.Open })
}
