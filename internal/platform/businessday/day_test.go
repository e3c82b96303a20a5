package businessday_test

import (
	"archive/zip"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/dev/testkit"
	"banca/internal/platform/businessday"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	require.NoError(t, err)
	return z
}

// An instant shortly before midnight UTC is of the same day in Caracas; one shortly after it is still of the day before.
func TestOf(t *testing.T) {
	t.Parallel()
	caracas := zone(t, "America/Caracas") // UTC-4
	for at, want := range map[string]string{
		"2026-11-22T23:59:59Z": "2026-11-22", "2026-11-23T03:59:59Z": "2026-11-22", "2026-11-23T04:00:00Z": "2026-11-23",
	} {
		instant, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		require.Equal(t, want, businessday.Of(instant, caracas).String(), at)
	}
}

// A day in which the clocks change has 23 or 25 hours.
func TestBounds(t *testing.T) {
	t.Parallel()
	madrid := zone(t, "Europe/Madrid")
	for day, hours := range map[businessday.Day]float64{
		businessday.Date(2026, time.March, 29): 23, businessday.Date(2026, time.October, 25): 25, businessday.Date(2026, time.November, 22): 24,
	} {
		from, to := day.Bounds(madrid)
		require.InDelta(t, hours, to.Sub(from).Hours(), 0, day.String())
		require.Equal(t, day, businessday.Of(from, madrid))
		require.Equal(t, day, businessday.Of(to.Add(-time.Nanosecond), madrid))
		require.Equal(t, day.AddDays(1), businessday.Of(to, madrid))
	}
}

// Every instant is within the bounds of its day, and of no other.
func TestEveryInstantIsInExactlyOneDay(t *testing.T) {
	t.Parallel()
	zones := []*time.Location{time.UTC, zone(t, "America/Caracas"), zone(t, "Europe/Madrid"), zone(t, "America/Sao_Paulo"), zone(t, "Asia/Kathmandu")}
	rapid.Check(t, func(r *rapid.T) {
		at := time.Unix(rapid.Int64Range(0, 7_000_000_000).Draw(r, "at"), 0)
		z := rapid.SampledFrom(zones).Draw(r, "zone")
		day := businessday.Of(at, z)
		from, to := day.Bounds(z)
		require.False(r, at.Before(from))
		require.True(r, at.Before(to))
		n := rapid.IntRange(-4000, 4000).Draw(r, "n")
		later := day.AddDays(n)
		require.Equal(r, n, day.DaysUntil(later))
		require.Equal(r, day, later.AddDays(-n))
		require.Equal(r, n < 0, later.Before(day))
		require.Equal(r, n > 0, later.After(day))
		again, err := businessday.Parse(day.String())
		require.NoError(r, err)
		require.Equal(r, day, again)
	})
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "2026-2-1", "2026-02-30", "22/11/2026", "2026-11-22T00:00:00Z", " 2026-11-22"} {
		_, err := businessday.Parse(text)
		require.ErrorIs(t, err, businessday.ErrFormat, text)
	}
}

func TestMonths(t *testing.T) {
	t.Parallel()
	first := businessday.Date(2026, time.December, 31).FirstOfMonth()
	require.Equal(t, "2026-12-01", first.String())
	require.Equal(t, "2027-01-01", first.AddMonths(1).String())
	require.Equal(t, "2026-11-30", first.AddDays(-1).String())
	require.Equal(t, time.Tuesday, first.Weekday())
}

func TestJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(map[string]businessday.Day{"day": businessday.Date(2026, time.November, 22), "none": {}})
	require.NoError(t, err)
	require.JSONEq(t, `{"day":"2026-11-22","none":""}`, string(text))
	var days map[string]businessday.Day
	require.NoError(t, json.Unmarshal(text, &days))
	require.Equal(t, map[string]businessday.Day{"day": businessday.Date(2026, time.November, 22), "none": {}}, days)
	require.Error(t, json.Unmarshal([]byte(`{"day":"tomorrow"}`), &days))
}

// A DATE of Postgres is read and written by pgx and by gorm, whatever the zone of the connection is.
func TestPostgres(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	day := businessday.Date(2026, time.November, 22)
	tx, err := env.PG.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(t.Context()) //nolint:errcheck // nothing was written
	_, err = tx.Exec(t.Context(), `SET LOCAL TIME ZONE 'Asia/Tokyo'`)
	require.NoError(t, err)
	var text string
	var back, none businessday.Day
	require.NoError(t, tx.QueryRow(t.Context(), `SELECT $1::date::text, $1::date, $2::date`, day, businessday.Day{}).Scan(&text, &back, &none))
	require.Equal(t, "2026-11-22", text)
	require.Equal(t, day, back)
	require.True(t, none.IsZero())

	var rows []struct{ Day, None businessday.Day }
	require.NoError(t, env.PG.Gorm.Raw(`SELECT ?::date AS day, ?::date AS none`, day, businessday.Day{}).Scan(&rows).Error)
	require.Equal(t, day, rows[0].Day)
	require.True(t, rows[0].None.IsZero())
}

// Around every change of the clocks, in every zone, a day begins at its first instant: where midnight is left out or
// comes twice, and where a day is left out.
func TestDaysOfAllZones(t *testing.T) {
	t.Parallel()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	require.NoError(t, err)
	all, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	require.NoError(t, err)
	defer func() { require.NoError(t, all.Close()) }()
	until := time.Date(2040, time.January, 1, 0, 0, 0, 0, time.UTC)
	changes := 0
	for _, f := range all.File {
		if f.FileInfo().IsDir() {
			continue
		}
		z := zone(t, f.Name)
		for at := time.Date(1970, time.January, 2, 0, 0, 0, 0, time.UTC); ; changes++ {
			_, at = at.In(z).ZoneBounds()
			if at.IsZero() || at.After(until) {
				break
			}
			for day := businessday.Of(at, z).AddDays(-2); !day.After(businessday.Of(at,
				z).AddDays(2)); day = day.AddDays(1) {
				from, to := day.Bounds(z)
				require.True(t, businessday.Of(from.Add(-1), z).Before(day), "%s %s begins at %s", f.Name, day, from)
				if from.Equal(to) { // left out
					require.Equal(t, day.AddDays(1), businessday.Of(from, z), f.Name)
					continue
				}
				require.Equal(t, day, businessday.Of(from, z), "%s %s begins at %s", f.Name, day, from)
				require.Equal(t, day, businessday.Of(to.Add(-1), z), "%s %s ends at %s", f.Name, day, to)
			}
		}
	}
	require.Greater(t, changes, 10_000)
}
