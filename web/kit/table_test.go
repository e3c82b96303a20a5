package kit

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOrdersOfAColumn(t *testing.T) {
	t.Parallel()
	here, err := url.Parse("/list?q=a&page=3&done=x")
	require.NoError(t, err)
	both, one := Orders{"name", "-name"}, Orders{Ascending: "code"}
	for name, try := range map[string]struct {
		orders          Orders
		now             string
		address, sorted string
	}{
		"another order":    {both, "code", "/list?q=a&sort=name", ""},
		"ascending":        {both, "name", "/list?q=a&sort=-name", "ascending"},
		"descending":       {both, "-name", "/list?q=a&sort=name", "descending"},
		"the only order":   {one, "code", "", "ascending"},
		"one order":        {one, "name", "/list?q=a&sort=code", ""},
		"only descending":  {Orders{Descending: "-at"}, "", "/list?q=a&sort=-at", ""},
		"no order":         {Orders{}, "name", "", ""},
		"no order, sorted": {Orders{}, "", "", ""},
	} {
		address, sorted := try.orders.link(order{value: try.now, here: here})
		assert.Equal(t, try.address, address, name)
		assert.Equal(t, try.sorted, sorted, name)
	}
	address, sorted := both.link(order{})
	assert.Empty(t, address+sorted, "a table that is no list")
}

func TestATableOfRows(t *testing.T) {
	t.Parallel()
	v := &View{words: map[string]string{"none": "Nothing yet.", "failed": "Not read."}}
	columns := []Column[string]{
		{Title: "label", Cell: func(_ *View, r *string) Cell { return Text(*r).WithSecondLine("below") }},
		{Text: func(r *string) string { return *r }},
		{Number: true, Cell: func(*View, *string) Cell { return Text("1") }},
	}
	table, err := v.BuildTable(RowsOf(columns, []string{"a", ""}, nil, "none").Sum(func(*View) []Cell { return []Cell{Text("sum"), Text("2")} }))
	require.NoError(t, err)
	require.Len(t, table.Heads, 2, "a column without Cell is of the file alone")
	assert.Equal(t, "below", table.Rows[0].Cells[0].SecondLine)
	assert.Equal(t, Cell{Text: "below"}, table.Rows[1].Cells[0].Cell, "a missing first line leaves the second")
	assert.Equal(t, "number", table.Totals[1].Class)
	_, err = v.BuildTable(RowsOf(columns, []string{"a"}, nil, "none").Sum(func(*View) []Cell { return []Cell{Text("sum")} }))
	require.Error(t, err, "a total that is missing would move the others below other columns")

	empty, err := v.BuildTable(RowsOf(columns, nil, nil, "none"))
	require.NoError(t, err)
	assert.Equal(t, "Nothing yet.", empty.Empty)
	failed, err := v.BuildTable(FailedRows("failed"))
	require.NoError(t, err)
	assert.Equal(t, "Not read.", failed.Failed)
	missing, err := v.BuildTable(nil)
	require.NoError(t, err)
	assert.Nil(t, missing)
}
