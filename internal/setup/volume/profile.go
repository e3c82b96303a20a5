package volume

import (
	"slices"
	"time"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

// Profile shapes a history like the sales of an operator, for a demonstration. The zero Options have none: their history
// is for measurements, alike on every day and at every ticket point.
type Profile struct {
	Places       []Place     // super-agencies
	Weekdays     [7]float64  // sales of each weekday, from Sunday, in proportion to a mean day
	Hours        [24]float64 // sales of each hour of a day, in any proportion
	Growth       float64     // of the sales of a day over the history, as a part of the last day's
	Stakes       []money.Amount
	HighStakes   []money.Amount // on games that pay at least highPayout
	Credit       money.Amount   // of a ticket point
	Levels       [4]Level       // of super-agencies, agencies, groups and ticket points
	PasswordHash string         // of all users
	Source       string         // of the results
	OwesDays     int            // the last days, in which an agency that owes made no deposit
}

// Level is what all entities of a level have: a participation in percent, "" for none, and a limit of the stakes on a selection, 0
// for none.
type Level struct {
	Participation string
	Stake         money.Amount
}

// highPayout is the payout of games that people bet less on, in hundredths.
const highPayout = 100_00

// Place is an entity of a profile: a super-agency, an agency, a group or a ticket point, by its depth.
type Place struct {
	Code, Name string
	User       User    // the zero User adds none. A ticket point has one, who sells
	Opens      int     // the hour from which a ticket point sells
	Weight     float64 // of the sales of a ticket point, in proportion to others
	Owes       bool    // the ticket points below make no deposit in the last days
	Silent     bool    // a ticket point that sells nothing today
	Below      []Place
}

// User is the user of a place.
type User struct{ Identifier, Email, Name, Role string }

// Each calls fn with every place, parents first. parent is nil for a super-agency; depth counts from 0.
func (p *Profile) Each(fn func(place, parent *Place, depth int)) {
	var walk func(list []Place, parent *Place, depth int)
	walk = func(list []Place, parent *Place, depth int) {
		for i := range list {
			fn(&list[i], parent, depth)
			walk(list[i].Below, &list[i], depth+1)
		}
	}
	walk(p.Places, nil, 0)
}

// Hour returns the part of the sales of a mean day that are made in an hour of a weekday.
func (p *Profile) Hour(weekday time.Weekday, hour int) float64 {
	sum := 0.0
	for _, weight := range p.Hours {
		sum += weight
	}
	return p.Weekdays[weekday] * p.Hours[hour] / sum
}

// habits are how a ticket point of a profile sells.
type habits struct {
	opens  int
	weight float64
	owes   bool
	silent bool
}

// habits returns the habits of the ticket points by their codes.
func (p *Profile) habits() map[string]habits {
	all, owing := map[string]habits{}, p.owing()
	p.Each(func(place, _ *Place, _ int) {
		if place.Below == nil {
			all[place.Code] = habits{place.Opens, place.Weight, owing[place], place.Silent}
		}
	})
	return all
}

// owing returns the places that owe, and those below them.
func (p *Profile) owing() map[*Place]bool {
	owing := map[*Place]bool{}
	p.Each(func(place, parent *Place, _ int) { owing[place] = place.Owes || owing[parent] })
	return owing
}

// The variation of the sales of a day around its mean.
const (
	leastOfDay = 0.93
	spanOfDay  = 0.14
)

// linesOf returns about how many lines a day has whose mean is given.
func (w *Writer) linesOf(day businessday.Day, mean int) int {
	p := w.Profile
	if p == nil {
		return mean
	}
	ago := float64(day.DaysUntil(businessday.Of(w.Now, w.Zone)))
	grown := 1 - p.Growth*ago/float64(max(w.Days, 1))
	return int(float64(mean) * p.Weekdays[day.Weekday()] * grown * (leastOfDay + spanOfDay*w.rng.Float64()))
}

// times returns when the tickets of a day are sold, in order, at most last. Those of a profile that come later are left out.
func (w *Writer) times(day businessday.Day, last time.Time, tickets int) []time.Time {
	times := make([]time.Time, 0, tickets)
	for range tickets {
		at := w.timeOf(day, last)
		if !at.After(last) {
			times = append(times, at.UTC().Truncate(time.Microsecond))
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	return times
}

func (w *Writer) timeOf(day businessday.Day, last time.Time) time.Time {
	if w.Profile == nil {
		open := day.At(6, 0, w.Zone)
		return open.Add(time.Duration(w.rng.Int64N(int64(last.Sub(open)))))
	}
	hour := w.weighted(len(w.Profile.Hours), func(i int) float64 { return w.Profile.Hours[i] })
	return day.At(hour, 0, w.Zone).Add(time.Duration(w.rng.Int64N(int64(time.Hour))))
}

// pointAt returns the ticket point that sells a ticket.
func (w *Writer) pointAt(at time.Time) *point {
	points := w.tree.points
	if w.Profile == nil {
		return &points[w.rng.IntN(len(points))]
	}
	hour, today := at.In(w.Zone).Hour(), businessday.Of(at, w.Zone) == businessday.Of(w.Now, w.Zone)
	return &points[w.weighted(len(points), func(i int) float64 {
		if hour < points[i].opens || today && points[i].silent {
			return 0
		}
		return points[i].weight
	})]
}

// Customers of a profile play the next draws, the games that come first, and some elements more than others.
const (
	soon       = 150 * time.Minute
	fading     = 0.3 // of the weight of a game by its position
	favoured   = 30  // lines in percent
	favourites = 6
	strideOf   = 7
	unlucky    = 15 // winning lines in percent that bet on something else, so that the operator earns
)

// drawOf returns the draw of a line, of those from first on.
func (w *Writer) drawOf(at time.Time, draws []draw, first int) *draw {
	near := draws[first : first+min(len(draws)-first, 40)]
	if w.Profile == nil {
		return &near[w.rng.IntN(len(near))]
	}
	return &near[w.weighted(len(near), func(i int) float64 {
		if i > 0 && near[i].at.Sub(at) > soon {
			return 0
		}
		return 1 / (1 + fading*float64(near[i].game.rank))
	})]
}

// pickOf returns what a line bets on.
func (w *Writer) pickOf(d *draw) string {
	n := len(d.game.elements)
	picked := w.rng.IntN(n)
	if w.Profile == nil {
		return d.game.elements[picked]
	}
	if w.rng.IntN(100) < favoured {
		picked = (d.game.rank + strideOf*w.rng.IntN(favourites)) % n
	}
	if d.game.elements[picked] == d.value && w.rng.IntN(100) < unlucky {
		picked = (picked + 1) % n
	}
	return d.game.elements[picked]
}

func (w *Writer) stakeOn(g *game) money.Amount {
	stakes := []money.Amount{100, 200, 500, 1_000, 2_000, 5_000}
	if w.Profile != nil {
		stakes = w.Profile.Stakes
	}
	if w.Profile != nil && g.payout >= highPayout {
		stakes = w.Profile.HighStakes
	}
	return stakes[w.rng.IntN(len(stakes))]
}

// weighted returns a random index below n, in proportion to weights; 0 if all are 0.
func (w *Writer) weighted(n int, weight func(i int) float64) int {
	sum := 0.0
	for i := range n {
		sum += weight(i)
	}
	left := w.rng.Float64() * sum
	for i := range n {
		if left -= weight(i); left < 0 {
			return i
		}
	}
	return 0
}

// Winners of a profile come soon, and nearly all.
const (
	collectMean      = 80 * time.Minute
	collectedProfile = 97
)

// collectAfter returns how long after the settlement a prize is paid.
func (w *Writer) collectAfter() time.Duration {
	if w.Profile == nil {
		return time.Duration(w.rng.Int64N(int64(collectWithin)))
	}
	return min(time.Duration(w.rng.ExpFloat64()*float64(collectMean)), collectWithin)
}

// collected returns the share of the prizes that are paid, in percent.
func (w *Writer) collected() int {
	if w.Profile == nil {
		return collected
	}
	return collectedProfile
}

// The deposits of a profile are made in the morning of a Monday.
const (
	depositHour = 9
	depositSpan = 150 * time.Minute
)

// depositTime returns when ticket points deposit what they owe; the zero time if they do not on this day.
func (w *Writer) depositTime(day businessday.Day) time.Time {
	switch {
	case w.Profile == nil && day.Weekday() == time.Sunday:
		return day.At(23, 0, w.Zone)
	case w.Profile != nil && day.Weekday() == time.Monday:
		return day.At(depositHour, 0, w.Zone).Add(time.Duration(w.rng.Int64N(int64(depositSpan))).Truncate(time.Second))
	default:
		return time.Time{}
	}
}

// depositOf returns what a ticket point deposits, negative for what it withdraws. One that owes pays only what keeps its credit
// from being used up.
func (w *Writer) depositOf(day businessday.Day, p *point) money.Amount {
	if w.Profile == nil {
		return max(p.debt, 0)
	}
	if !p.owes || !w.recent(day) {
		return p.debt
	}
	const most, part = 2, 4 // half of the credit, and a quarter of it
	if p.debt > w.Profile.Credit/most {
		return w.Profile.Credit / part
	}
	return 0
}

// recent reports whether a day is one of the last ones, in which an agency that owes makes no deposit.
func (w *Writer) recent(day businessday.Day) bool {
	return day.DaysUntil(businessday.Of(w.Now, w.Zone)) <= w.Profile.OwesDays
}
