package catalog

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/models"
)

// gameWith decodes a game with these betting rules and a grid of 38 animals.
func gameWith(t testing.TB, rules string) (*Game, error) {
	t.Helper()
	var elements []models.GameElement
	for i, code := range []string{"0", "00", "1", "2", "3", "10", "33"} {
		elements = append(elements, models.GameElement{Code: code, Name: "Name of " + code, Position: i})
	}
	return gameOf(&models.Game{BettingRules: []byte(rules), ScheduleConfig: []byte(`{}`)}, "ANIMALITOS", elements)
}

func TestBettingRules(t *testing.T) {
	t.Parallel()
	g, err := gameWith(t, `{"bet_types": [
		{"type": "straight", "payout": "30", "element_payouts": {"00": "120.5"}, "min_stake": {"VES": "1.00", "*": "2"}, "max_stake": "50", "max_per_ticket": 3},
		{"type": "tripleta", "payout": 200, "max_stake": {"VES": "0"}, "draws": 11}]}`)
	require.NoError(t, err)
	require.Equal(t, []string{"straight", "tripleta"}, g.BetTypes())
	r := g.Rule("straight")
	require.Equal(t, money.Payout(3000), r.PayoutFor("0"))
	require.Equal(t, money.Payout(12050), r.PayoutFor("00"))
	for _, tt := range []struct {
		bound    StakeBound
		currency string
		digits   int
		want     money.Amount
		has      bool
	}{
		{r.MinStake, "VES", 2, 1_00, true}, {r.MinStake, "USD", 2, 2_00, true}, {r.MaxStake, "COP", 0, 50, true},
		{g.Rule("tripleta").MaxStake, "VES", 2, 0, true}, {g.Rule("tripleta").MaxStake, "USD", 2, 0, false}, {r.MinStake, "VES", 0, 0, true},
	} {
		got, has := tt.bound.In(tt.currency, tt.digits)
		require.Equal(t, tt.has, has)
		require.Equal(t, tt.want, got)
	}
	require.Nil(t, g.Rule("triple"))
	for _, wrong := range []string{
		``, `[]`, `{"bet_types": [null]}`, `{"bet_types": [{"type": "straight"}]}`, `{"bet_types": [{"type": "straight", "payout": 0}]}`,
		`{"bet_types": [{"type": "straight", "payout": "-1"}]}`, `{"bet_types": [{"type": "straight", "payout": 1.234}]}`,
		`{"bet_types": [{"type": "straight", "payout": 1e3}]}`, `{"bet_types": [{"type": "quintuple", "payout": "5"}]}`,
		`{"bet_types": [{"type": "straight", "payout": "5", "min_stake": 5}]}`,
	} {
		_, err := gameWith(t, wrong)
		require.Error(t, err, wrong)
	}
}

func TestSelections(t *testing.T) {
	t.Parallel()
	g, err := gameWith(t, `{"bet_types": [{"type": "straight", "payout": "30"}, {"type": "dupleta", "payout": "800"}, {"type": "tripleta", "payout": "200"},
		{"type": "triple", "payout": "600"}, {"type": "triple_sign", "payout": "6000"}, {"type": "terminal", "payout": "60"}]}`)
	require.NoError(t, err)
	for _, tt := range []struct {
		bet   string
		codes []string
		key   string // empty: refused
		name  string
	}{
		{"straight", []string{"0"}, "0", "Name of 0"},
		{"straight", []string{"00"}, "00", "Name of 00"},
		{"straight", []string{"000"}, "", ""}, {"straight", []string{"01"}, "", ""}, {"straight", []string{"4"}, "", ""}, {"straight", []string{""}, "", ""},
		{"straight", nil, "", ""}, {"straight", []string{"0", "1"}, "", ""}, {"straight", []string{" 0"}, "", ""}, {"straight", []string{"0,1"}, "", ""},
		{"dupleta", []string{"10", "2"}, "2,10", "Name of 2, Name of 10"},
		{"dupleta", []string{"0", "00"}, "0,00", "Name of 0, Name of 00"},
		{"dupleta", []string{"2", "2"}, "", ""},
		{"tripleta", []string{"33", "00", "1"}, "00,1,33", "Name of 00, Name of 1, Name of 33"},
		{"tripleta", []string{"33", "1", "33"}, "", ""}, {"tripleta", []string{"33", "1"}, "", ""}, {"tripleta", []string{"33", "1", "99"}, "", ""},
		{"triple", []string{"007"}, "007", "007"}, {"triple", []string{"7"}, "", ""}, {"triple", []string{"0007"}, "", ""}, {"triple", []string{"12a"}, "", ""},
		{"triple_sign", []string{"007", "leo"}, "007,LEO", "007 LEO"}, {"triple_sign", []string{"007"}, "", ""}, {"triple_sign", []string{"007", "LEON"}, "", ""},
		{"terminal", []string{"05"}, "05", "05"}, {"terminal", []string{"5"}, "", ""}, {"terminal", []string{"10"}, "10", "10"},
		{"first_two", []string{"10"}, "", ""},
	} {
		got, refused := g.Select(tt.bet, tt.codes)
		require.Equal(t, tt.key, got.Key, "%s %q", tt.bet, tt.codes)
		require.Equal(t, tt.key == "", refused != nil, "%s %q: %v", tt.bet, tt.codes, refused)
		require.Equal(t, tt.name, got.Name)
		if tt.key != "" && tt.bet != "terminal" { // a terminal's number may be an animal's code
			require.Equal(t, got.Name, g.NameOf(got.Key), "what was sold is shown as it was sold")
		}
	}
}

// A bet type on several numbers takes its count and its digits from the declaration.
func TestSelectionsOfSeveralNumbers(t *testing.T) {
	t.Parallel()
	for codes, key := range map[string]string{"42,05": "05,42", "05,42": "05,42", "42": "", "42,42": "", "42,5": "", "1,2,3": ""} {
		got, refused := (&Game{}).selectParts(&BetType{Parts: 2, Digits: 2}, strings.Split(codes, ","))
		require.Equal(t, key, got.Key, codes)
		require.Equal(t, key == "", refused != nil, codes)
	}
}

// Codes of one selection have one spelling: in capitals if a sign ends them, sorted if their order does not matter.
func TestNormaliseCodes(t *testing.T) {
	t.Parallel()
	for _, want := range BetTypes() {
		bet := want.Name
		given := []string{"9b", "10a"}
		got := NormaliseCodes(bet, given)
		require.Equal(t, []string{"9b", "10a"}, given, "the request itself stays as it was sent")
		switch {
		case want.Sign:
			require.Equal(t, []string{"9b", "10A"}, got, bet)
		case want.Parts > 1:
			require.Equal(t, []string{"10a", "9b"}, got, bet)
		default:
			require.Equal(t, given, got, bet)
		}
	}
	require.Equal(t, []string{"1", "ari", "x"}, NormaliseCodes(BetTripleSign, []string{"1", "ari", "x"}))
	require.Empty(t, NormaliseCodes(BetDupleta, nil))
}

func TestScheduleOfADay(t *testing.T) {
	t.Parallel()
	caracas := time.FixedZone("America/Caracas", -4*60*60)
	monday := businessday.Date(2026, time.November, 23)
	at := func(hour, minute int) time.Time { return time.Date(2026, 11, 23, hour, minute, 0, 0, time.UTC) }
	slots, err := (&Schedule{Times: At("08:00", "19:05")}).Day(monday, caracas)
	require.NoError(t, err)
	require.Equal(t, []Slot{{Number: "1", Date: monday, At: at(12, 0)}, {Number: "2", Date: monday, At: at(23, 5)}}, slots)
	for _, tt := range []struct {
		name     string
		schedule Schedule
		want     int
	}{
		{"its weekday", Schedule{Times: At("08:00"), Weekdays: []int{1}}, 1},
		{"another weekday", Schedule{Times: At("08:00"), Weekdays: []int{0, 2, 6}}, 0},
		{"a holiday", Schedule{Times: At("08:00"), Holidays: []string{"2026-11-23"}}, 0},
		{"another's holiday", Schedule{Times: At("08:00"), Holidays: []string{"2026-11-24"}}, 1},
		{"no times", Schedule{}, 0},
	} {
		slots, err := tt.schedule.Day(monday, caracas)
		require.NoError(t, err, tt.name)
		require.Len(t, slots, tt.want, tt.name)
	}
	for _, wrong := range []Schedule{{Times: At("8")}, {Times: At("25:00")}, {Times: At("08:00"), TimeZone: "Nowhere/Land"}} {
		_, err := wrong.Day(monday, caracas)
		require.Error(t, err)
	}
	slots, err = (&Schedule{Times: At("08:00"), TimeZone: "UTC"}).Day(monday, caracas)
	require.NoError(t, err)
	require.Equal(t, at(8, 0), slots[0].At)
}

// The business's zone has no daylight saving time: the same local time is the same distance apart all year.
func TestCaracasHasNoSummerTime(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/Caracas")
	require.NoError(t, err)
	var last time.Time
	for day := range 366 {
		slots, err := (&Schedule{Times: At("08:00")}).Day(businessday.Date(2026, time.January, 1+day), zone)
		require.NoError(t, err)
		if day > 0 {
			require.Equal(t, 24*time.Hour, slots[0].At.Sub(last))
		}
		last = slots[0].At
	}
}

// In zones with summer time each slot of a year has its local date and time; a time that the change leaves out has its local
// date still, and is at most an hour off.
func TestSlotsKeepTheirLocalTimeOverTheYear(t *testing.T) {
	t.Parallel()
	for name, gaps := range map[string]int{"America/New_York": 1, "Europe/Madrid": 1, "Australia/Lord_Howe": 1, "America/Caracas": 0, "Asia/Kathmandu": 0} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		schedule := Schedule{Times: At("00:15", "01:15", "02:15", "12:00", "23:45"), TimeZone: name, OpenHoursBefore: 30}
		off := 0
		for day := range 365 {
			date := businessday.Date(2026, time.January, 1+day)
			slots, err := schedule.Day(date, time.UTC)
			require.NoError(t, err)
			require.Len(t, slots, 5)
			for i, slot := range slots {
				local := slot.At.In(zone)
				require.Equal(t, date, businessday.Of(slot.At, zone), "%s %s", name, local)
				require.Equal(t, 30*time.Hour, slot.At.Sub(slot.OpensAt))
				if local.Format("15:04") != schedule.Times[i].Time {
					off++
					require.Equal(t, "02:15", schedule.Times[i].Time, "%s %s", name, local)
					require.InDelta(t, 2.25, float64(local.Hour())+float64(local.Minute())/60, 1, "%s %s", name, local)
				}
			}
		}
		require.Equal(t, gaps, off, name)
	}
}
