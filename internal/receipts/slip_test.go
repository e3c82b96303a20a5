package receipts

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/printer"
)

// closeSlip is a daily close with every part of a slip.
func closeSlip() *Slip {
	return &Slip{
		Title: "Agencia La Fortuna", Subtitle: "J-40123456-7", Header: []string{"Av. Bolívar, Caracas"}, Heading: "CIERRE DE CAJA", Copy: true,
		Sections: []Section{
			{Rows: []SlipRow{{Label: "Taquilla", Value: "TAQ-001"}, {Label: "Día", Value: "20/11/2026"}, {Label: "Cerrado", Value: "20/11/2026 09:14 PM"}, {Label: "Por", Value: "Ana Cajera"}}},
			{Title: "VENTAS", Rows: []SlipRow{
				{Label: "Ventas (128)", Value: "10.000,00"}, {Label: "Anulados (2)", Value: "-150,00"}, {Label: "Devueltos (1)", Value: "-50,00"},
				{Label: "Premios pagados (14)", Value: "-7.200,00"}, {Label: "Comisión", Value: "-1.000,00"}, {Label: "NETO VES", Value: "1.600,00", Total: true},
			}},
			{Title: "EFECTIVO", Rows: []SlipRow{
				{Label: "200,00 x 12", Value: "2.400,00"}, {Label: "100,00 x 4", Value: "400,00"}, {Label: "Contado", Value: "2.800,00"},
				{Label: "Debe haber", Value: "2.600,00"}, {Label: "DIFERENCIA", Value: "+200,00", Total: true},
			}},
			{Title: "NOTA", Rows: []SlipRow{{Value: "Sobran doscientos bolívares de un cliente que no volvió por su vuelto."}}},
		},
		Footer: []string{"Firma: ____________________"},
	}
}

func TestGoldenSlip(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	picture, err := r.RenderRGB(closeSlip())
	require.NoError(t, err)
	requireSamePixels(t, decode(t, golden(t, "slip.png", picture)), decode(t, picture))
	commands, err := r.RenderESCPOS(closeSlip())
	require.NoError(t, err)
	printed, err := printer.Feed(commands)
	require.NoError(t, err)
	assert.Equal(t, string(golden(t, "slip.txt", []byte(printed.Text))), printed.Text)
	for _, render := range []func(Printable) ([]byte, error){r.RenderPNG, r.RenderRaster} {
		out, err := render(closeSlip())
		require.NoError(t, err)
		assert.NotEmpty(t, out)
	}
}

// A slip breaks wide lines, loses no value and refuses more rows than it can have.
func TestSlipsAreBounded(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	wide := &Slip{Heading: strings.Repeat("x", 100), Sections: []Section{{Rows: []SlipRow{{Label: strings.Repeat("l", 50), Value: "123.456.789.012.345,67", Total: true}, {Label: "\x1b@", Value: "\x00"}}}}}
	commands, err := r.RenderESCPOS(wide)
	require.NoError(t, err)
	printed, err := printer.Feed(commands)
	require.NoError(t, err)
	assert.Contains(t, printed.Text, "123.456.789.012.345,67")
	_, err = r.RenderRGB(&Slip{Sections: []Section{{Rows: make([]SlipRow, maxSlipRows+1)}}})
	require.ErrorIs(t, err, ErrTooLarge)
}
