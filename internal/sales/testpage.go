package sales

import (
	"context"
	"strconv"
	"strings"

	"banca/internal/platform/caller"
	"banca/internal/receipts"
)

// TestPage draws a document that shows what a printer does with a format of receipts, and returns it with its media type: a
// row of digits that fills the paper, accents, and large letters. Errors: receipts.ErrFormat.
func (s *Service) TestPage(ctx context.Context, by caller.Caller, format string) ([]byte, string, error) {
	chain, err := s.Org.Chain(ctx, by.EntityID)
	if err != nil {
		return nil, "", err
	}
	printing, columns := chain.Printing(), receipts.Columns(format)
	return s.Renderer.Render(&receipts.Slip{
		Logo:  s.logo(ctx, &printing),
		Title: printing.Title, Subtitle: printing.Subtitle, Header: printing.Header, Heading: "PÁGINA DE PRUEBA",
		Sections: []receipts.Section{{Rows: []receipts.SlipRow{
			{Label: "Columnas", Value: strconv.Itoa(columns)},
			{Value: strings.Repeat("1234567890", columns)[:columns]},
			{Label: "Acentos", Value: "áéíóúüñ ÁÉÍÓÚÜÑ"},
			{Label: "TOTAL", Value: "1.234,56", Total: true},
		}}},
		Footer: []string{"Los dígitos llenan el papel en una línea.", s.Clock.Now().In(s.Options.Zone).Format("02/01/2006 03:04 PM")},
	}, format)
}
