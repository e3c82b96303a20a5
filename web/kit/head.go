package kit

// Head is the head of a page: what it is about, its states, and its main action.
type Head struct {
	Title  string
	Code   string // of the object, after the title, such as a serial code
	States []Badge
	Note   string
	Links  []MenuLink // related pages
	Action *MenuLink  // the main one

	view *View
}

// Head returns the head of a page.
func (v *View) Head(title string) *Head { return &Head{Title: title, view: v} }

// WithCode adds the code of the object.
func (h *Head) WithCode(code string) *Head {
	h.Code = code
	return h
}

// State adds a state of a kind of object.
func (h *Head) State(kind string, state any) *Head {
	h.States = append(h.States, h.view.State(kind, state))
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

// Link adds a link to a related page; an empty address adds none.
func (h *Head) Link(title, address string) *Head {
	if address != "" {
		h.Links = append(h.Links, MenuLink{Title: title, Path: address})
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
