package catalog

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/models"
)

// Whatever bytes are sent as a document, the check neither fails nor repeats them: it names at most fifty places of the
// field, and what it accepts can be decoded.
func FuzzDocumentsAreChecked(f *testing.F) {
	compiled, err := compileSchemas()
	require.NoError(f, err)
	for _, seed := range []string{
		`{}`, `[]`, `null`, `{"bet_types":[{"type":"straight","payout":"30"}]}`, `{"bet_types":[{"type":"straight","payout":1e3}]}`,
		`{"times":["08:00",{"time":"09:00","number":"A"}],"weekdays":[1],"time_zone":"UTC"}`, `{"times":[{}]}`, `{"kind":"number","digits":3,"sign":true}`,
		`{"flags":[{"code":"M","name":"M","bet_types":["straight"],"set":"40","chance":"0.1"}]}`, `{"a":{"b":[1,1e131000]}}`, `{"a":"\u0000"}`, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}",
		`{"sources":[{"name":"official"}],"verify":{"policy":"agree","sources":2}}`, strings.Repeat(`{"a":`, 20) + `1` + strings.Repeat(`}`, 20),
	} {
		for field := range Fields() {
			f.Add(field, []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, at int, raw []byte) {
		if at < 0 {
			return
		}
		field := Fields()[at%len(Fields())]
		found := compiled.check(field, raw)
		require.LessOrEqual(t, len(found), maxProblems)
		for _, d := range found {
			require.True(t, strings.HasPrefix(d.Location, field), d.Location)
			require.NotEmpty(t, d.Message)
		}
		if found == nil {
			requireDecodes(t, field, raw)
		}
	})
}

// requireDecodes makes the checks of a game with one document, and decodes it if they accept it.
func requireDecodes(t *testing.T, field string, raw []byte) {
	t.Helper()
	row := &models.Game{ShortCode: "g"}
	for _, name := range Fields() {
		*documentOf(row, name) = []byte(`{}`)
	}
	*documentOf(row, field) = raw
	grid := []models.GameElement{{Code: "0", Name: "Delfín"}, {Code: "00", Name: "Ballena", Position: 1}}
	found, err := (&subject{row: row, category: models.CategoryAnimalitos, elements: grid}).check()
	if err != nil || len(found) > 0 {
		return
	}
	g, err := gameOf(row, models.CategoryAnimalitos, grid)
	require.NoError(t, err)
	_, err = g.schedule.Day(businessday.Date(2026, time.November, 23), time.UTC)
	require.NoError(t, err)
	require.NotPanics(t, func() {
		for _, o := range g.Outcomes() {
			(&Rules{Mechanics: g.mechanics, bets: g.rules}).Winners(&o)
		}
	})
}

// Rules that pay out more than they take in stand with a reason, for as long as neither they nor the mechanics change; a
// reason in the document itself counts for nothing.
func TestForcedRulesStayForcedUntilTheyChange(t *testing.T) {
	t.Parallel()
	const (
		dear   = `{"bet_types":[{"type":"straight","payout":"30"}]}`
		dearer = `{"bet_types":[{"type":"straight","payout":"31"}]}`
		cheap  = `{"bet_types":[{"type":"straight","payout":"2"}]}`
		forced = `{"bet_types":[{"type":"straight","payout":"30"}],"forced":{"reason":"agreed"}}`
		spaced = `{ "forced": {"reason": "agreed"}, "bet_types": [{"payout": "30", "type": "straight"}] }`
		flags  = `{"flags":[{"code":"M","name":"M","bet_types":["straight"],"add":"1","chance":"0.5"}]}`
	)
	grid := []models.GameElement{{Code: "0"}, {Code: "00"}, {Code: "1"}, {Code: "2", Status: models.ElementRetired}}
	for name, tt := range map[string]struct {
		before, rules, mechanics, force string
		want                            string // the rules that are stored; "" if they are refused
	}{
		"cheap":                          {"{}", cheap, "{}", "", cheap},
		"too dear":                       {"{}", dear, "{}", "", ""},
		"forced":                         {"{}", dear, "{}", "agreed", forced},
		"a reason of the document":       {"{}", forced, "{}", "", ""},
		"cheap with a reason":            {"{}", `{"bet_types":[{"type":"straight","payout":"2"}],"forced":{"reason":"x"}}`, "{}", "", cheap},
		"unchanged":                      {forced, forced, "{}", "", forced},
		"unchanged in other words":       {forced, spaced, "{}", "", forced},
		"changed":                        {forced, dearer, "{}", "", ""},
		"sent back without the reason":   {forced, dear, "{}", "", ""},
		"with other mechanics":           {forced, forced, flags, "", ""},
		"with other mechanics and force": {forced, forced, flags, "again", `{"bet_types":[{"type":"straight","payout":"30"}],"forced":{"reason":"again"}}`},
	} {
		before := &models.Game{BettingRules: []byte(tt.before), Mechanics: []byte("{}")}
		row := &models.Game{BettingRules: []byte(tt.rules), Mechanics: []byte(tt.mechanics)}
		err := (&Service{}).checkPrice(before, row, models.CategoryAnimalitos, grid, tt.force)
		if tt.want == "" {
			require.ErrorIs(t, err, ErrOverpriced, name)
			continue
		}
		require.NoError(t, err, name)
		require.JSONEq(t, tt.want, string(row.BettingRules), name)
	}
	empty := &models.Game{BettingRules: []byte(dear), Mechanics: []byte("{}")}
	require.NoError(t, (&Service{}).checkPrice(empty, empty, models.CategoryAnimalitos, nil, ""), "a new game is checked once it has a grid")
	require.NoError(t, (&Service{}).checkPrice(empty, empty, models.CategoryAnimalitos, grid[3:], ""), "retired elements are not drawn")
}

// Outcomes of new mechanics decide the bets of the old ones if they draw the same and announce at least as much.
func TestMechanicsThatDecideEarlierBets(t *testing.T) {
	t.Parallel()
	flag, wildcard := []Modifier{{Code: "M"}}, []Modifier{{Code: "C"}}
	base := Mechanics{Kind: DrawsNumber, Digits: 3}
	signed := Mechanics{Kind: DrawsNumber, Digits: 3, Sign: true}
	marked := Mechanics{Kind: DrawsNumber, Digits: 3, Flags: flag, Wildcards: wildcard}
	for _, tt := range []struct {
		name         string
		new, earlier Mechanics
		want         bool
	}{
		{"the same", base, base, true},
		{"with a sign", signed, base, true},
		{"without the sign", base, signed, false},
		{"with marks", marked, base, true},
		{"without marks", base, marked, false},
		{"without the wildcard", Mechanics{Kind: DrawsNumber, Digits: 3, Flags: flag}, marked, false},
		{"another flag", Mechanics{Kind: DrawsNumber, Digits: 3, Flags: []Modifier{{Code: "N"}}, Wildcards: wildcard}, marked, false},
		{"a flag that pays otherwise", Mechanics{Kind: DrawsNumber, Digits: 3, Flags: []Modifier{{Code: "M", Add: 100}}, Wildcards: wildcard}, marked, true},
		{"fewer digits", Mechanics{Kind: DrawsNumber, Digits: 2}, base, false},
		{"elements", Mechanics{Kind: DrawsElement}, base, false},
	} {
		require.Equal(t, tt.want, tt.new.yields(&tt.earlier), tt.name)
	}
}

func TestDrawTimesKeepTheirForm(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{`["08:00","19:05"]`, `["08:00",{"time":"20:00","number":"NOCHE"}]`, `[]`} {
		var times []DrawTime
		require.NoError(t, json.Unmarshal([]byte(doc), &times))
		again, err := json.Marshal(times)
		require.NoError(t, err)
		require.JSONEq(t, doc, string(again))
	}
	for _, doc := range []string{`[8]`, `[["08:00"]]`, `[{"time":8}]`} {
		var times []DrawTime
		require.Error(t, json.Unmarshal([]byte(doc), &times), doc)
	}
	require.Equal(t, []DrawTime{{Time: "08:00"}, {Time: "12:30"}}, At("08:00", "12:30"))
}

// A seller's own stop is earlier than the draw's or does not count, and does not count at all where the draw or its game
// has one.
func TestTheStopOfASeller(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 18, 0, 0, 0, time.UTC)
	stop := at.Add(-5 * time.Minute)
	for own, want := range map[time.Duration]time.Time{
		0: stop, 4 * time.Minute: stop, 5 * time.Minute: stop, 6 * time.Minute: at.Add(-6 * time.Minute), time.Hour: at.Add(-time.Hour), -time.Hour: stop,
	} {
		inherited := &Draw{Time: at, SaleStopAt: stop, StopInherited: true}
		require.Equal(t, want, inherited.StopFor(own), own)
		explicit := &Draw{Time: at, SaleStopAt: stop}
		require.Equal(t, stop, explicit.StopFor(own), own)
	}
}

// A bound names its currency or holds for all that are not named; one that cannot be read refuses every stake.
func TestStakeBoundsOfAnyCurrency(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amounts := rapid.MapOf(rapid.SampledFrom([]string{"VES", "USD", anyCurrency}), rapid.IntRange(0, 1_000_000)).Draw(t, "amounts")
		bound := StakeBound{}
		for currency, n := range amounts {
			bound[currency] = money.Amount(n).Format(2)
		}
		for _, currency := range []string{"VES", "USD", "COP"} {
			want, has := amounts[currency]
			if !has {
				want, has = amounts[anyCurrency]
			}
			got, bounded := bound.In(currency, 2)
			require.Equal(t, has, bounded, currency)
			require.Equal(t, money.Amount(want), got, currency)
		}
		doc, err := json.Marshal(bound)
		require.NoError(t, err)
		var read StakeBound
		require.NoError(t, json.Unmarshal(doc, &read))
		require.Equal(t, bound, read)
	})
	for _, unreadable := range []string{"", "x", "1.234", "-1", "1e9"} {
		got, bounded := StakeBound{"VES": unreadable}.In("VES", 2)
		require.True(t, bounded, unreadable)
		require.Zero(t, got, unreadable)
	}
	var one StakeBound
	require.NoError(t, json.Unmarshal([]byte(`"5"`), &one))
	require.Equal(t, StakeBound{anyCurrency: "5"}, one)
}

// The schemas that clients read name the bet types, the kinds of outcome and the ways to derive one that the code knows.
func TestSchemasNameWhatTheCodeKnows(t *testing.T) {
	t.Parallel()
	enum := func(field string, path ...string) []string {
		raw, err := Schema(field)
		require.NoError(t, err)
		var at any
		require.NoError(t, json.Unmarshal(raw, &at))
		for _, key := range append(path, "enum") {
			object, ok := at.(map[string]any)
			require.True(t, ok, "%s: %s", field, key)
			at = object[key]
		}
		values, ok := at.([]any)
		require.True(t, ok, field)
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i], ok = v.(string)
			require.True(t, ok, field)
		}
		return texts
	}
	require.ElementsMatch(t, BetTypeNames(), enum(FieldRules, "properties", "bet_types", "items", "properties", "type"))
	require.ElementsMatch(t, []string{DrawsElement, DrawsNumber}, enum(FieldMechanics, "properties", "kind"))
	require.ElementsMatch(t, []string{TakeAll, TakeLastTwo, TakeFirst}, enum(FieldMechanics, "properties", "derived_from", "properties", "take"))
	_, err := Schema("../" + FieldRules)
	require.ErrorIs(t, err, ErrSchemaNotFound, "a field and not a path")
}
