package sheet

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFormulasAreQuoted(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"=1+1": "'=1+1", "+58": "'+58", "-2": "'-2", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\n=1": "'\n=1", "＝1+1": "'＝1+1", "＋1": "'＋1", "－1": "'－1", "＠A": "'＠A",
		" =1": "' =1", "\u3000＝1": "'\u3000＝1", "": "", "Ana": "Ana",
		"x;=1+1 ;@SUM(1)": "x;'=1+1 ;'@SUM(1)", "\ufeff=1+1": "'\ufeff=1+1", "\u200b=1": "'\u200b=1", "\u2003=1": "'\u2003=1", "﹦1": "'﹦1", "﹫A": "'﹫A", "a;b": "a;b", ";": ";",
		"10.00": "10.00", "a=b": "a=b", "ñ": "ñ",
	} {
		assert.Equal(t, want, escapeFormulas(cell), "%q", cell)
	}
}
