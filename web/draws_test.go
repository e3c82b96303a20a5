package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/setup/seed"
	"banca/models"
)

// The list of draws says what each sold and what it may cost at worst, and a draw leads to the one before and the one after it of its game.
func TestDrawsWithFiguresAndNeighbours(t *testing.T) {
	t.Parallel()
	s := setupTestbed(t, 4)
	list := s.get(drawsPath + "?lang=es&status=open").Body.String()
	_, list, _ = strings.Cut(list, "<tbody>")
	assert.Regexp(t, `data-title="Venta neta">[\d.]+,\d\d Bs`, list)
	assert.Regexp(t, `data-title="Peor caso">[\d.]+,\d\d Bs <span class="under">si sale \d+ \pL`, list)
	assert.NotContains(t, s.get(drawsPath+"?currency=USD&status=open").Body.String(), " Bs <")
	file := s.get(drawsPath + "?lang=es&format=csv").Body.String()
	assert.Contains(t, file, ";Peor caso;")
	assert.Regexp(t, `data-title="Premios">[\d.]+,\d\d Bs <span class="under">\d+ tickets? ganador`, s.get(drawsPath+"?status=settled&page_size=200").Body.String(), "of a draw with a result")
	at := regexp.MustCompile(drawsPath+`/([0-9a-f-]{36})"`).FindAllStringSubmatch(list, -1)
	require.NotEmpty(t, at)
	var page, id string
	var next []string
	for _, found := range at { // the last draw of a day has no next one
		id = found[1]
		page = s.get(drawsPath + "/" + id).Body.String()
		if next = regexp.MustCompile(`href="(` + drawsPath + `/[0-9a-f-]{36})" rel="next" aria-label="(?:Siguiente|Next): `).FindStringSubmatch(page); next != nil {
			break
		}
	}
	require.NotNil(t, next)
	back := s.get(next[1]).Body.String()
	assert.Regexp(t, `href="`+drawsPath+`/`+id+`" rel="prev" aria-label="(?:Anterior|Previous): `, back, "and back")
	assert.Equal(t, regexp.MustCompile(`<h1>(.*?) \d+:`).FindStringSubmatch(page)[1], regexp.MustCompile(`<h1>(.*?) \d+:`).FindStringSubmatch(back)[1], "of the same game")
}

// Sources that disagree leave several proposals: a person verifies the one that is typed, whichever it is, and sees
// none.
func TestOneOfSeveralProposalsIsVerified(t *testing.T) {
	t.Parallel()
	p := setupOrg(t, models.RoleAdmin)
	draw := uuid.Must(uuid.NewV7())
	_, err := p.env.PG.Pool.Exec(t.Context(), `INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, status, closed_at, created_at, updated_at)
		VALUES ($1, $2, 'X1', '2026-01-05', '2026-01-05T12:00:00Z', '2026-01-05T11:55:00Z', 'closed', '2026-01-05T11:55:00Z', now(), '2026-01-05T11:55:00Z')`, draw, seed.ID("game", "lotto-activo"))
	require.NoError(t, err)
	for version, value := range []string{"17", "18"} {
		_, err := p.env.PG.Pool.Exec(t.Context(), `INSERT INTO results (id, draw_id, version, value, sign, wildcard, flags, status, origin, source, evidence, reason, entered_at)
			VALUES ($1, $2, $3, $4, '', '', '{}', 'proposed', 'fetched', 'source-' || $4, '{}', '', now())`, uuid.Must(uuid.NewV7()), draw, version+1, value)
		require.NoError(t, err)
	}
	verified := func() (value string) {
		require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT coalesce((SELECT value FROM results WHERE draw_id = $1 AND status = 'verified'), '')`, draw).Scan(&value))
		return value
	}
	at := drawsPath + "/" + draw.String()
	page := p.get(at).Body.String()
	assert.NotContains(t, page, ">17<")
	assert.NotContains(t, page, ">18<")
	for _, list := range []string{"?date=2026-01-05", "?date=2026-01-05&format=csv"} {
		body := p.get(drawsPath + list).Body.String()
		require.Contains(t, body, "Lotto Activo")
		assert.NotRegexp(t, `>18<|[,;]18[,;]`, body, list)
	}
	assert.Contains(t, page, "source-17", "each can be rejected")
	assert.Contains(t, page, `action="`+at+`/enter"`, "and a person may type what is right")

	status, body := p.submit(t, at, "/verify", url.Values{"value": {"19"}})
	require.Equal(t, http.StatusConflict, status)
	assert.Contains(t, body, "The typed result differs from the entered one.")
	require.Empty(t, verified())
	status, _ = p.submit(t, at, "/verify", url.Values{"value": {"17"}})
	require.Equal(t, http.StatusSeeOther, status)
	require.Equal(t, "17", verified())
	assert.Regexp(t, `(?s)Result fetched.*source-17.*Verified</strong>[^<]*<span[^>]*>.* 17[^<]* · by \pL`, p.get(at).Body.String())
}
