package catalog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/internal/catalog"
	"banca/web/kit"
)

func TestTimesOfDrawsInWords(t *testing.T) {
	t.Parallel()
	v := &kit.View{Language: kit.Spanish}
	for times, want := range map[string]string{
		"":                              "",
		"13:00 16:00 19:00":             "1:00 pm, 4:00 pm, 7:00 pm",
		"08:00 09:00 10:00":             "8:00 am, 9:00 am, 10:00 am",
		"08:00 09:00 10:00 11:00":       "edit.times.hourly",
		"08:00 08:30 09:00 09:30":       "edit.times.halfhourly",
		"08:00 09:00 10:30 11:00":       "8:00 am, 9:00 am, 10:30 am, 11:00 am",
		"08:30 10:00 11:00 12:00 13:00": "8:30 am, edit.times.hourly",
		"08:00 09:00 x 10:00 11:00":     "8:00 am, 9:00 am, x, 10:00 am, 11:00 am",
		"08:00 10:00 12:00 14:00 16:00": "8:00 am, 10:00 am, 12:00 pm, 2:00 pm, 4:00 pm",
	} {
		var list []catalog.DrawTime
		for at := range strings.FieldsSeq(times) {
			list = append(list, catalog.DrawTime{Time: at})
		}
		assert.Equal(t, want, timesText(v, list), times)
	}
}
