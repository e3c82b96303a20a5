package receipts

// Limits of a Document.
const (
	// MaxLines bounds the bets of one receipt, and likewise its games and its draws.
	MaxLines = 2_000
	// MaxElements bounds the elements of one bet; games in the field have at most three.
	MaxElements = 10
	// MaxNotes bounds the free lines: Header, PaymentInfo and Footer together.
	MaxNotes = 100
	// MaxHeight bounds the picture, in pixels: 6.25 m of paper, 19 MB while it is drawn. The longest ticket that can
	// be sold fits, whatever its lines, and so does a full MaxLines in two columns.
	MaxHeight = 50_000
	// maxText bounds one text, in characters; a longer one is cut and ends with three dots.
	maxText = 200
	// nameLength is the number of characters shown of an element's name (interface specification).
	nameLength = 4
)

// Document is everything a receipt shows. All texts are ready to print: amounts and local business
// times are formatted by the caller. An empty text leaves its part out.
type Document struct {
	Language Language // of the fixed words; Spanish when empty

	Logo     *Logo    // above all; nil for none
	Title    string   // the seller's trade name, shown largest
	Subtitle string   // its tax id
	Header   []string // its address, telephone ...

	SerialCode     string
	ValidationCode string // asked for when a prize is paid; left out of a cancelled ticket
	IssuedAt       string // local business time
	Seller         string // ticket point or user
	Customer       string

	Games []Game // in the order to print
	Total string // of all games, without the currency
	Unit  string // of its currency, e.g. Bs

	PaymentInfo []string // how to pay by mobile payment, a fact per line
	Footer      []string // expiry, legal notes
	QR          string   // the ticket's public URL; an all upper-case one makes a smaller code

	Cancelled bool // marks the receipt as void, at its head and at its total
	Copy      bool // marks a reprint
}

// Game is one game of the ticket. A game without any line is left out.
type Game struct {
	Name  string
	Draws []Draw
}

// Draw is one draw of a game. A draw without lines is left out.
type Draw struct {
	Label string // e.g. "10:00 AM  #3"
	Lines []Line
}

// Line is one bet. Lines of a draw with the same BetType are shown together under its label.
type Line struct {
	Elements []Element // one, or several for a dupleta or tripleta
	BetType  string    // label, e.g. "Terminal"; empty for the game's ordinary bet
	Amount   string
}

// Element is the selection of a bet. Codes are texts: in animalitos 0 and 00 differ. A triple has no name; the sign
// of a zodiacal triple is a second element, without a name either, and so printed once: 123-LEO.
type Element struct {
	Code, Name string
}

// check returns ErrTooLarge for a Document that no real ticket can be.
func (d *Document) check() error {
	if len(d.Header)+len(d.PaymentInfo)+len(d.Footer) > MaxNotes || len(d.Games) > MaxLines {
		return ErrTooLarge
	}
	draws := 0
	for i := range d.Games {
		draws += len(d.Games[i].Draws)
	}
	if draws > MaxLines || d.lines() > MaxLines {
		return ErrTooLarge
	}
	for i := range d.Games {
		if d.Games[i].elements() > MaxElements {
			return ErrTooLarge
		}
	}
	return nil
}

// lines counts the bets.
func (d *Document) lines() int {
	n := 0
	for i := range d.Games {
		n += d.Games[i].lines()
	}
	return n
}

// lines counts the bets of a game.
func (g *Game) lines() int {
	n := 0
	for i := range g.Draws {
		n += len(g.Draws[i].Lines)
	}
	return n
}

// elements returns the most elements that a bet of the game has.
func (g *Game) elements() int {
	n := 0
	for i := range g.Draws {
		for j := range g.Draws[i].Lines {
			n = max(n, len(g.Draws[i].Lines[j].Elements))
		}
	}
	return n
}
