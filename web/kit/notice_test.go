package kit

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNoticeIsShownBesideItsObject(t *testing.T) {
	t.Parallel()
	v := spanish(t, time.Time{})
	v.Notice, v.beside = "Hecho "+hostile, "a"
	assert.Nil(t, v.Beside("b"), "the notice is of another object")
	notice := v.Beside("a")
	require.NotNil(t, notice)
	page := render(t, v, "beside", notice.To("Ver "+hostile, "/made").WithUndo(v, "/undo").With("id", hostile))
	assert.Contains(t, page, `id="done" role="status">Hecho &#34;&gt;`)
	assert.Contains(t, page, `<a href="/made">Ver &#34;&gt;`)
	assert.Contains(t, page, `<form method="post" action="/undo"><input type="hidden" name="form_token" value="token"><input type="hidden" name="id" value="&#34;&gt;`)
	assert.Contains(t, page, ">Deshacer</button>")
	v.beside = ""
	assert.Nil(t, v.Beside(""), "a notice without an object is at the top")
	v.Notice, v.beside = "", "a"
	assert.Nil(t, v.Beside("a"), "an unknown notice is not shown")

	assert.Equal(t, "/list?q=1&beside=a+b&done=x", joined("/list?q=1", url.Values{doneParam: {"x"}, besideParam: {"a b"}}))
}

func TestAnAcknowledgedAlertShowsItsNotice(t *testing.T) {
	t.Parallel()
	type alert struct {
		id uuid.UUID
		at time.Time
	}
	done, seen, open := alert{uuid.New(), time.Unix(1, 0)}, alert{uuid.New(), time.Unix(1, 0)}, alert{id: uuid.New()}
	v := spanish(t, time.Time{})
	v.Notice, v.beside = "La alerta quedó como vista.", done.id.String()
	table, err := v.BuildTable(RowsOf(Acknowledgement("/alerts", func(a *alert) (uuid.UUID, time.Time) { return a.id, a.at }), []alert{done, seen, open}, nil, ""))
	require.NoError(t, err)
	assert.Contains(t, string(table.Rows[0].Cells[1].HTML), "La alerta quedó como vista.")
	assert.Equal(t, None(), table.Rows[1].Cells[1].Cell)
	assert.Contains(t, string(table.Rows[2].Cells[1].HTML), `action="/alerts/`+open.id.String()+`/acknowledge"`)
}
