package kit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDiffListsChangesWithTheirEffect(t *testing.T) {
	t.Parallel()
	v := spanish(t, time.Time{})
	d := v.Diff().Add("Nombre", Text("a"), Text(hostile)).Add("Tope", Cell{}, Mono("5"))
	table, err := d.Table()
	require.NoError(t, err)
	require.Len(t, table.Heads, 3, "no column of effects without an effect")
	assert.Equal(t, []string{"wrap before", "wrap after mono"}, []string{table.Rows[1].Cells[1].Class, table.Rows[1].Cells[2].Class})
	assert.Contains(t, render(t, v, "diff", d), `data-title="Antes">—</td>`, "a missing value")

	d.Effect(-1_234_50, 2, "Bs").Add("Pago", Text("1"), Text("2")).Effect(7_00, 2, "Bs").Add("Orden", Text("1"), Text("2")).Effect(0, 2, "Bs")
	table, err = d.Table()
	require.NoError(t, err)
	require.Len(t, table.Heads, 4)
	var effects, classes []string
	for _, row := range table.Rows {
		effects, classes = append(effects, row.Cells[3].Text), append(classes, row.Cells[3].Class)
	}
	assert.Equal(t, []string{"", "−1.234,50 Bs", "+7,00 Bs", "0,00 Bs"}, effects)
	assert.Equal(t, []string{"none number", "fall number", "rise number", "number"}, classes)

	assert.NotContains(t, render(t, v, "diff", d), "hint")
	d.More = 1
	assert.Contains(t, render(t, v, "diff", d), "Y 1 cambio más")
	assert.Contains(t, render(t, v, "diff", v.Diff()), "No cambia nada.")
}
