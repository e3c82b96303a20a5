package pos

import "banca/web/kit"

// helpPage is the page for cashiers to print: the keys, and what to do when the screen says something.
type helpPage struct {
	Keys   []string // names of texts pos.help.<name>
	States []string // names of texts pos.help.state.<name>
}

func (p *pages) help(r *kit.Request) error {
	return r.Render("help", &helpPage{
		Keys:   []string{"digits", "several", "names", "random", "list", "plus", "F4", "F5", "minus", "End", "F12", "means", "F2", "F3", "F6", "F7", "results", "F8", "F9", "F10", "F11", "Esc"},
		States: []string{"sold", "unknown", "limit", "closed", "offline", "ended", "print"},
	})
}
