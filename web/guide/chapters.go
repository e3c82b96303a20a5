package guide

// part are the chapters for some readers, in the order in which they are read.
type part struct {
	name     string // its title is the text guide.part.<name>
	chapters []chapter
}

// chapter is a document, or a section of one, as a page. Its summary is the text guide.about.<name>.
type chapter struct {
	name    string // in its address
	file    string // the English document
	section string // anchor of the section that the chapter is; "" for the document
	without string // anchor of a section that is a chapter of its own; "" for none
	spanish string // the Spanish document; "" for none
}

// Sections that are chapters of their own.
const (
	counterSection = "the-counter-in-a-browser"
	figuresSection = "what-the-figures-mean"
)

// parts are all chapters.
func parts() []part {
	return []part{
		{"sell", []chapter{
			{name: "counter", file: "pos.md", section: counterSection, spanish: "es/taquilla.md"},
			{name: "panel", file: "panel.md", spanish: "es/panel.md"},
			{name: "figures", file: "money.md", section: figuresSection, spanish: "es/cuentas.md"},
			{name: "money", file: "money.md", without: figuresSection},
			{name: "draws", file: "draws.md"},
			{name: "people", file: "people.md"},
		}},
		{"integrate", []chapter{
			{name: "bank", file: "bank.md", spanish: "es/banco.md"},
			{name: "pos", file: "pos.md", without: counterSection},
			{name: "errors", file: "errors.md"},
			{name: "messaging", file: "messaging.md"},
		}},
		{"operate", []chapter{
			{name: "operations", file: "operations.md"},
			{name: "runbook", file: "runbook.md"},
			{name: "security", file: "security.md"},
			{name: "performance", file: "performance.md"},
		}},
		{"change", []chapter{
			{name: "architecture", file: "architecture.md"},
			{name: "glossary", file: "glossary.md"},
		}},
	}
}

// chapters are all chapters in their order.
func chapters() []chapter {
	var all []chapter
	for _, p := range parts() {
		all = append(all, p.chapters...)
	}
	return all
}
