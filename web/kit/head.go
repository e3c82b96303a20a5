package kit

// Head is the head of a page: where it stands, what it is about, its states and facts, and what can be done.
type Head struct {
	Crumbs  []MenuLink // pages above it, the highest first
	Title   string
	Code    string // of the object, after the title, such as a serial code
	Picture string // address; "" without one
	States  []Badge
	Note    string
	Facts   []Fact
	Links   []MenuLink // related pages
	Action  *MenuLink  // the main one
	More    []MenuLink // other actions, behind a menu that opens without scripts

	view *View
}

// Fact is a name and a value of an object.
type Fact struct {
	Name  string
	Value Cell
}

// Head returns the head of a page.
func (v *View) Head(title string) *Head { return &Head{Title: title, view: v} }

// MoreText is the text of the menu of further actions.
func (h *Head) MoreText() string { return h.view.T("head.more") }

// CrumbsText describes the pages above to screen readers.
func (h *Head) CrumbsText() string { return h.view.T("head.above") }

// Up adds a page above, below those added before.
func (h *Head) Up(title, address string) *Head {
	h.Crumbs = append(h.Crumbs, MenuLink{Title: title, Path: address})
	return h
}

// Under adds pages above, below those added before.
func (h *Head) Under(above []MenuLink) *Head {
	h.Crumbs = append(h.Crumbs, above...)
	return h
}

// WithCode adds the code of the object.
func (h *Head) WithCode(code string) *Head {
	h.Code = code
	return h
}

// Show adds the picture of the object; an empty address adds none.
func (h *Head) Show(picture string) *Head {
	h.Picture = picture
	return h
}

// State adds a state of a kind of object.
func (h *Head) State(kind string, state any) *Head {
	return h.StateIf(true, kind, state)
}

// StateIf adds a state that the object has only at times.
func (h *Head) StateIf(has bool, kind string, state any) *Head {
	if has {
		h.States = append(h.States, h.view.State(kind, state))
	}
	return h
}

// Did adds an action on a module.
func (h *Head) Did(module, action string) *Head {
	h.States = append(h.States, h.view.Did(module, action))
	return h
}

// Say adds a note after the states.
func (h *Head) Say(note string) *Head {
	h.Note = note
	return h
}

// Fact adds a fact below the title: the key of its name, and its value.
func (h *Head) Fact(name string, value Cell) *Head {
	h.Facts = append(h.Facts, Fact{Name: h.view.T(name), Value: value})
	return h
}

// Link adds a link to a related page; an empty address adds none.
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

// Main adds the main action, if the caller has it.
func (h *Head) Main(has bool, title, address string) *Head {
	if has {
		h.Action = &MenuLink{Title: title, Path: address}
	}
	return h
}

// Also adds an action to the menu of further ones, if the caller has it.
func (h *Head) Also(has bool, title, address string) *Head {
	if has {
		h.More = append(h.More, MenuLink{Title: title, Path: address})
	}
	return h
}
