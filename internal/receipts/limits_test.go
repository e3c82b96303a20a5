package receipts

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// manyLines returns a Document of one draw with n copies of a line.
func manyLines(n int, l Line) *Document {
	lines := make([]Line, n)
	for i := range lines {
		lines[i] = l
	}
	return &Document{Games: []Game{{"G", []Draw{{"10:00 AM", lines}}}}}
}

// outputs are the four forms of a receipt.
func outputs(r *Renderer) []func(Printable) ([]byte, error) {
	return []func(Printable) ([]byte, error){r.RenderRGB, r.RenderPNG, r.RenderRaster, r.RenderESCPOS}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	short := one("05", "León", "10,00")
	wide := Line{Elements: []Element{{"1", "Dos"}}, Amount: strings.Repeat("9", maxText)}
	tests := []struct {
		name    string
		doc     *Document
		picture error
		text    error
	}{
		{"most lines", manyLines(MaxLines, short), nil, nil},
		{"one line more", manyLines(MaxLines+1, short), ErrTooLarge, ErrTooLarge},
		{"too high", manyLines(MaxLines, wide), ErrTooLarge, nil},
		{"elements", manyLines(1, Line{Elements: make([]Element, MaxElements+1)}), ErrTooLarge, ErrTooLarge},
		{"games", &Document{Games: make([]Game, MaxLines+1)}, ErrTooLarge, ErrTooLarge},
		{"draws", &Document{Games: []Game{{Draws: make([]Draw, MaxLines+1)}}}, ErrTooLarge, ErrTooLarge},
		{"notes", &Document{Footer: make([]string, MaxNotes+1)}, ErrTooLarge, ErrTooLarge},
		{"longest link", &Document{QR: strings.Repeat("A", maxQRText)}, nil, nil},
		{"link too long", &Document{QR: strings.Repeat("A", maxQRText+1)}, ErrQR, ErrQR},
		{"link too dense", &Document{QR: strings.Repeat("a", maxQRText)}, ErrQR, ErrQR},
		{"link with a command", &Document{QR: "HTTP://X/\x1b@"}, ErrQR, ErrQR},
		{"link not ASCII", &Document{QR: "http://ñ/"}, ErrQR, ErrQR},
		{"nothing at all", &Document{}, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for i, render := range outputs(r) {
				want := tt.picture
				if i == 3 {
					want = tt.text
				}
				out, err := render(tt.doc)
				if want != nil {
					require.ErrorIs(t, err, want)
					continue
				}
				require.NoError(t, err)
				assert.NotEmpty(t, out)
			}
		})
	}
}

// TestReuseAfterRefusal draws a good receipt with memory that a refused one left dirty.
func TestReuseAfterRefusal(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	want, err := r.RenderRGB(sparseDoc())
	require.NoError(t, err)
	dirty := animalitosDoc()
	dirty.QR = "not a link"
	_, err = r.RenderRGB(dirty)
	require.ErrorIs(t, err, ErrQR)
	got, err := r.RenderRGB(sparseDoc())
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// TestTheLongestTicketCanBeDrawn: of the most lines a ticket may have, each of another game with a long name
// and too wide for its row.
func TestTheLongestTicketCanBeDrawn(t *testing.T) {
	t.Parallel()
	const mostLines = 250 // the bound of MAX_TICKET_LINES
	d := baseDoc()
	wide := Line{Elements: []Element{{"45", "Caballo"}, {"12", "Ñandú"}, {"33", "Águila"}}, BetType: "Tripleta", Amount: "999.999.999.999,99"}
	for range mostLines {
		d.Games = append(d.Games, Game{"Lotto Activo República Dominicana", []Draw{{"22/11 09:00 PM  #12", []Line{wide}}}})
	}
	_, err := newRenderer(t).RenderPNG(d)
	assert.NoError(t, err)
}

// TestTheTotalIsPrintedOnOneRow: half an amount on each of two rows would be read as two amounts.
func TestTheTotalIsPrintedOnOneRow(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	for _, total := range []string{"9,99", "1.405.019,99", "123.456.789.012,00", "1.234.567.890.123.456,00"} {
		for _, m := range mediaOf(r) {
			fields := (&Document{Total: total, Unit: "VES"}).layout(m).fields
			assert.True(t, slices.ContainsFunc(fields, func(f field) bool { return f.text == total }), "%s in %d", total, m.width)
		}
	}
}
