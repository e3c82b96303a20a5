package drafts_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/businessday"
	"banca/internal/platform/clock"
	"banca/internal/platform/money"
	"banca/internal/sales/drafts"
)

var (
	seeded = fixture.Rows{}.Template()                                                   //nolint:gochecknoglobals // a lazy constant
	update = flag.Bool("update", false, "write the readings of testdata/forms.txt anew") //nolint:gochecknoglobals // a flag
)

// offer is the seeded catalogue at 10:30 in Caracas, with the draw of Lotto Activo at 11:00 chosen.
func offer(t testing.TB) *drafts.Offer {
	t.Helper()
	zone, err := time.LoadLocation("America/Caracas")
	require.NoError(t, err)
	day := businessday.Date(2026, time.March, 10)
	now := day.At(10, 30, zone)
	games, err := catalog.New(seeded.New(t).PG, clock.NewFake(now), catalog.Options{Zone: zone}).Games(t.Context())
	require.NoError(t, err)
	o := &drafts.Offer{Games: games, Now: now, Zone: zone, Currency: "VES", Digits: 2}
	for _, game := range games {
		slots, err := game.Schedule().Day(day, zone)
		require.NoError(t, err)
		for _, slot := range slots {
			if !slot.At.Add(-5 * time.Minute).After(now) {
				continue
			}
			draw := drafts.Draw{ID: uuid.New(), Game: game, Time: slot.At}
			if game.ShortCode == "lotto-activo" && len(o.Chosen) == 0 {
				o.Chosen = []uuid.UUID{draw.ID}
			}
			o.Draws = append(o.Draws, draw)
		}
	}
	return o
}

// text writes parts as testdata/forms.txt has them.
func text(parts []drafts.Part, o *drafts.Offer) string {
	var said []string
	for _, part := range parts {
		if part.Refused != nil {
			said = append(said, fmt.Sprintf("%d ? %s", part.Number, part.Refused.Code))
		}
		for _, line := range part.Lines {
			said = append(said, fmt.Sprintf("%d %s %s %s %s %s", part.Number, line.Draw.Game.ShortCode, line.Draw.Time.In(o.Zone).Format("15:04"),
				line.BetType, strings.Join(line.Codes, ","), line.Amount.Format(o.Digits)))
		}
	}
	return strings.Join(said, " | ")
}

// testdata/forms.txt has the forms in which buyers write, each with its reading, which a person has checked: "text => reading".
func TestFormsAreReadAsMeant(t *testing.T) {
	t.Parallel()
	o := offer(t)
	raw, err := os.ReadFile("testdata/forms.txt")
	require.NoError(t, err)
	var written strings.Builder
	forms := 0
	for line := range strings.Lines(string(raw)) {
		form, want, _ := strings.Cut(strings.TrimRight(line, "\n"), " => ")
		got := text(drafts.Read(strings.ReplaceAll(form, `\n`, "\n"), o), o)
		fmt.Fprintf(&written, "%s => %s\n", form, got)
		if !*update {
			assert.Equal(t, want, got, form)
		}
		forms++
	}
	if *update {
		require.NoError(t, os.WriteFile("testdata/forms.txt", []byte(written.String()), 0o600))
	}
	assert.GreaterOrEqual(t, forms, 300)
}

// checkParts requires what holds for every text: a part is refused or has lines; a line is on a draw on sale, valid for its game, with an amount that the
// text contains.
func checkParts(t testing.TB, input string, o *drafts.Offer) {
	t.Helper()
	for _, part := range drafts.Read(input, o) {
		require.False(t, part.Refused != nil && len(part.Lines) > 0, "%q", input)
		for _, line := range part.Lines {
			selection, refused := line.Draw.Game.Select(line.BetType, line.Codes)
			require.Nil(t, refused, "%q", input)
			require.Equal(t, line.Name, selection.Name)
			require.Contains(t, o.Draws, line.Draw)
			require.Positive(t, line.Amount)
			require.LessOrEqual(t, line.Amount, money.MaxAmount)
		}
	}
}

// The lines of a text are those of its parts alone: a line is never read by what stands beside it, but for headings and amounts below.
func TestALineOfOtherWordsChangesNothingBesideIt(t *testing.T) {
	t.Parallel()
	o := offer(t)
	for _, form := range []string{"05 20", "20 al leon y burro", "123 456 x 5 tachira noche", "leon 20 a las 6"} {
		want := drafts.Read(form, o)
		for _, other := range []string{"buenas mi reina", "el de siempre tambien", "pero 20", "18 bs 20", "<script>", "leon 20 %s"} {
			got := drafts.Read(other+"\n"+form+"\n"+other, o)
			var same []drafts.Part
			for _, part := range got {
				if part.Number == 2 {
					part.Number = 1
					same = append(same, part)
				}
			}
			assert.Equal(t, want, same, "%s beside %s", form, other)
		}
	}
}

// A text of the greatest length that is hard to read, since every place may begin a bet, is read within 20 ms.
func TestALongTextIsReadInTime(t *testing.T) {
	o := offer(t)
	for _, form := range []string{"05 18 22, ", "leon 20 ", "20 leon burro ", "05,18,22 ", "y, y 05 20 a ", "9", "a las 12 leon 20 ", "tripleta 5 12 "} {
		input := strings.Repeat(form, drafts.MaxText/len(form))
		begin := time.Now()
		checkParts(t, input, o)
		assert.Less(t, time.Since(begin), 200*time.Millisecond, form)
	}
}

func FuzzRead(f *testing.F) {
	o := offer(f)
	raw, err := os.ReadFile("testdata/forms.txt")
	require.NoError(f, err)
	for line := range strings.Lines(string(raw)) {
		form, _, _ := strings.Cut(line, " => ")
		f.Add(strings.ReplaceAll(form, `\n`, "\n"))
	}
	f.Fuzz(func(t *testing.T, input string) {
		if len(input) > drafts.MaxText {
			return
		}
		checkParts(t, input, o)
	})
}

func BenchmarkRead(b *testing.B) {
	o := offer(b)
	const message = "buenas mi reina\n20 al leon y burro\n50 al 36 en la granjita de las 6\ntripleta 5 12 20 por 10 chaima\n123 456 x 5 tachira noche\n1000 al 28 y 32\n"
	for b.Loop() {
		drafts.Read(message, o)
	}
}
