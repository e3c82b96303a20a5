package markdown

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestChangesAndAmountsOfATable(t *testing.T) {
	t.Parallel()
	show := func(text string) string { return strings.Join(Render(text, Options{Compare: true}), "") }
	page := show("| | Hoy | Ayer | Diferencia | % |\n|---|---:|---:|---:|---:|\n| Vendido | 1.250,00 | 1.000,00 | 250,00 | 25,00 |\n| Premios | 625,00 | 500,00 | 125,00 | 25,00 |\n| Caja | 0,00 | 1,00 | -1,00 | -100,00 |\n")
	assert.Contains(t, page, `<td class="number">1.250,00<svg class="part" aria-hidden="true"><rect x="0.0%" width="100.0%"/></svg></td>`)
	assert.Contains(t, page, `1.000,00<svg class="part" aria-hidden="true"><rect x="20.0%" width="80.0%"/>`, "the amounts of a row have one scale")
	assert.Contains(t, page, `625,00<svg class="part" aria-hidden="true"><rect x="0.0%" width="100.0%"/>`, "each row has its own")
	assert.Contains(t, page, `<td class="number"><span class="rise"><span aria-hidden="true">▲</span> 25,00</span></td>`)
	assert.Contains(t, page, `<td class="number spare"><span class="fall"><span aria-hidden="true">▲</span> 125,00</span></td>`, "a rise of the prizes")
	assert.Contains(t, page, `<span class="fall"><span aria-hidden="true">▼</span> −100,00</span>`)
	assert.Contains(t, page, `<td class="number">0,00</td>`)

	page = show("| Agencia | Vendido | Tickets |\n|---|---:|---:|\n| A | 300,00 | 3 |\n| B | 150,50 | 40 |\n| **Total** | 450,50 | 43 |\n")
	assert.Equal(t, 2, strings.Count(page, "<svg"), "of the first column of amounts, without the total")
	assert.Contains(t, page, `300,00<svg class="part" aria-hidden="true"><rect x="0.0%" width="100.0%"/>`)
	for _, plain := range []string{"| a | b |\n|---|---|\n| x | y |\n", "| a | b |\n|---|---|\n| x | 1,00 |\n", "| % |\n|---|\n| 1 |\n| 2 |\n", "| a | % |\n|---|---|\n| x |\n| | |\n"} {
		assert.NotContains(t, show(plain), "svg")
		assert.NotContains(t, show(plain), "▲")
	}
	assert.NotContains(t, strings.Join(Render("| a | % |\n|---|---|\n| x | 1 |\n| y | 2 |\n", Options{}), ""), "▲")
}
