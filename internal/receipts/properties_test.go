package receipts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/dev/testkit/printer"
)

// drawDocument generates tickets of every shape: codes and amounts of all lengths, one to three elements.
func drawDocument(t *rapid.T) *Document {
	d := baseDoc()
	for g := range rapid.IntRange(1, 3).Draw(t, "games") {
		game := Game{Name: fmt.Sprintf("Juego %c", 'A'+g)}
		for s := range rapid.IntRange(1, 3).Draw(t, "draws") {
			draw := Draw{Label: fmt.Sprintf("0%d:00 PM", s+1)}
			for range rapid.IntRange(0, 8).Draw(t, "lines") {
				draw.Lines = append(draw.Lines, drawLine(t))
			}
			game.Draws = append(game.Draws, draw)
		}
		d.Games = append(d.Games, game)
	}
	return d
}

func drawLine(t *rapid.T) Line {
	l := Line{
		Amount:  rapid.StringMatching(`[1-9][0-9]{0,2}(\.[0-9]{3}){0,4},[0-9]{2}`).Draw(t, "amount"),
		BetType: rapid.SampledFrom([]string{"", "Terminal", "Tripleta"}).Draw(t, "type"),
	}
	for range rapid.IntRange(1, 3).Draw(t, "elements") {
		l.Elements = append(l.Elements, Element{
			Code: rapid.StringMatching(`[0-9]{1,3}`).Draw(t, "code"),
			Name: rapid.SampledFrom([]string{"", "León", "Ciempiés", "Ñu"}).Draw(t, "name"),
		})
	}
	return l
}

// TestEveryBetIsPrinted: the multisets of printed and sold codes and amounts are equal.
func TestEveryBetIsPrinted(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocument(t)
		stream, err := r.RenderESCPOS(d)
		require.NoError(t, err)
		p, err := printer.Feed(stream)
		require.NoError(t, err)
		printed := map[string]int{}
		for word := range strings.FieldsSeq(p.Text) {
			printed[word]++
		}
		for _, g := range d.Games {
			for _, w := range g.Draws {
				for i := range w.Lines {
					b := newBet(&w.Lines[i])
					printed[b.code]--
					printed[b.amount]--
					require.GreaterOrEqual(t, printed[b.code], 0, "code %s in\n%s", b.code, p.Text)
					require.GreaterOrEqual(t, printed[b.amount], 0, "amount %s in\n%s", b.amount, p.Text)
				}
			}
		}
		require.Equal(t, 1, strings.Count(p.Text, d.SerialCode))
		requireNoOverlap(t, r, d)
	})
}

// mediaOf are the metrics of all media: text and picture on both papers.
func mediaOf(r *Renderer) []metrics {
	return []metrics{textMetrics(narrow), textMetrics(wide), pictureMetrics(r.atlas, Width), pictureMetrics(r.atlas, wideWidth)}
}

// requireNoOverlap fails if two fields of a row touch or one leaves the paper, in any medium.
func requireNoOverlap(t *rapid.T, r *Renderer, d *Document) {
	for _, m := range mediaOf(r) {
		rs := d.layout(m)
		for _, row := range rs.list {
			end := -m.gap
			for _, f := range rs.of(row) {
				if f.text == "" {
					continue
				}
				require.GreaterOrEqual(t, f.x, end+m.gap, "%q", f.text)
				end = f.x + m.text(f.style, f.text)
			}
			require.LessOrEqual(t, end, m.width)
		}
	}
}

// TestSerialIsShownOnce in all samples; the QR code is not text.
func TestSerialIsShownOnce(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	for _, s := range samples() {
		n := 0
		for _, f := range s.doc.layout(pictureMetrics(r.atlas, Width)).fields {
			n += strings.Count(f.text, s.doc.SerialCode)
		}
		assert.Equal(t, 1, n, s.name)
	}
}

// FuzzDocument puts hostile text into every field. The printer must see the commands of an ordinary ticket.
func FuzzDocument(f *testing.F) {
	for _, s := range []string{"", "León", "\x1b@\x1dV\x00", "a\nb", "\u009b1m", "A\u0301\u0301\u0301", "\xff\xfe", strings.Repeat("W ", 300), "€ … 🦁"} {
		f.Add(s, "10,00")
	}
	r := newRenderer(f)
	f.Fuzz(func(t *testing.T, a, b string) {
		d := &Document{
			Title: a, Subtitle: b, Header: []string{a}, SerialCode: b, ValidationCode: a, IssuedAt: b, Seller: a,
			Customer: b, Total: a, Unit: b, PaymentInfo: []string{a}, Footer: []string{b}, Language: Language(a),
			Games: []Game{{a, []Draw{{b, []Line{
				{[]Element{{a, b}}, a, b}, {[]Element{{b, a}, {a, a}}, "", a}, {nil, b, a},
			}}}}},
		}
		stream, err := r.RenderESCPOS(d)
		require.NoError(t, err)
		_, err = printer.Feed(stream)
		require.NoError(t, err)
		picture, err := r.RenderPNG(d)
		require.NoError(t, err)
		require.Equal(t, Width, decode(t, picture).Bounds().Dx())
		d.QR = a
		if stream, err = r.RenderESCPOS(d); err == nil {
			p, err := printer.Feed(stream)
			require.NoError(t, err)
			require.Equal(t, a, p.QR)
		} else {
			require.ErrorIs(t, err, ErrQR)
		}
	})
}

// TestAVoidReceiptIsMarkedAndHasNoValidationCode: a void receipt is marked at its head and under its total, across
// the paper, and has no validation code.
func TestAVoidReceiptIsMarkedAndHasNoValidationCode(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	for _, d := range []*Document{cancelledDoc(), englishDoc()} {
		require.NotEmpty(t, d.ValidationCode)
		for _, m := range mediaOf(r) {
			rs := d.layout(m)
			var bars []int // the sections they are in
			section := 0
			for _, row := range rs.list {
				if row.kind == ruleRow {
					section++
				}
				if row.kind == barRow {
					bars = append(bars, section)
				}
			}
			assert.Equal(t, []int{0, len(d.Games) + 2}, bars)
			for _, f := range rs.fields {
				assert.NotContains(t, f.text, d.ValidationCode)
			}
		}
	}
}
