package simulators

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"banca/internal/platform/clock"
)

// Modes of a lottery system, see the package's documentation.
const (
	LotteryLate   = "late"
	LotterySilent = "silent"
	LotteryWrong  = "wrong"
	LotterySlow   = "slow"
	// LotteryContradictory makes the mirror return other results than the official system.
	LotteryContradictory = "contradictory"
)

// The simulated systems: the official one at /, and its mirror at /mirror.
const (
	SourceOfficial = "official"
	SourceMirror   = "mirror"
)

// maxClosed bounds the draws that are remembered as closed.
const maxClosed = 10_000

// LotteryGame is a game of the external system.
type LotteryGame struct {
	Code     string   // without a dash
	Times    []string // of the daily draws, HH:MM in the lottery's local time
	Elements []string // what can be drawn
	Signs    []string // of which one is drawn with the value, if the game has any
	// Flags and wildcards come with some draws.
	Flags, Wildcards []Chance
	// LastTwoOf names the game whose last two digits are the result, drawn at the same time. If the other game has no
	// draw at that time, the result is the game's own.
	LastTwoOf string
}

// Chance is a word that comes with one of so many draws.
type Chance struct {
	Code  string
	OneIn uint64
}

// LotteryConfig configures NewLottery.
type LotteryConfig struct {
	Seed     uint64
	Location *time.Location
	Games    []LotteryGame
	Clock    clock.Clock
}

// Lottery is an external lottery system.
type Lottery struct {
	config LotteryConfig
	faults *faults
	mux    *http.ServeMux

	mu     sync.Mutex
	closed map[string]time.Time // by external id
}

// NewLottery returns a lottery system that works.
func NewLottery(config LotteryConfig) *Lottery {
	l := &Lottery{
		config: config,
		mux:    http.NewServeMux(),
		closed: map[string]time.Time{},
		faults: newFaults(LotteryLate, LotterySilent, LotteryWrong, LotterySlow, LotteryContradictory),
	}
	l.faults.sources = []string{SourceOfficial, SourceMirror}
	for path, source := range map[string]string{"": SourceOfficial, "/mirror": SourceMirror} {
		l.mux.HandleFunc("POST "+path+"/draws/{external_id}/close", l.faulty(source, l.closeDraw))
		l.mux.HandleFunc("GET "+path+"/draws", l.faulty(source, l.listDraws))
		l.mux.HandleFunc("GET "+path+"/results", l.faulty(source, l.listResults))
	}
	l.faults.routes(l.mux)
	return l
}

// ServeHTTP implements http.Handler.
func (l *Lottery) ServeHTTP(w http.ResponseWriter, r *http.Request) { l.mux.ServeHTTP(w, r) }

// SetFault does what POST /_faults does and reports whether there is such a mode.
func (l *Lottery) SetFault(fault Fault) bool { return l.faults.set(fault) }

// faulty applies the faults that concern every call and passes on the others.
func (l *Lottery) faulty(
	source string, next func(w http.ResponseWriter, r *http.Request, fault Fault),
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fault := l.faults.takeFor(source)
		switch fault.Mode {
		case LotterySilent:
			writeJSON(w, http.StatusServiceUnavailable, map[string]string{"error": "unavailable"})
			return
		case LotterySlow:
			_ = clock.Sleep(r.Context(), fault.delay())
		case LotteryContradictory:
			if source == SourceMirror {
				fault.Mode = LotteryWrong
			}
		}
		next(w, r, fault)
	}
}

// closeDraw ends a draw. A draw that is over already, or was closed before, answers as the first time.
func (l *Lottery) closeDraw(w http.ResponseWriter, r *http.Request, _ Fault) {
	d, ok := l.find(r.PathValue("external_id"))
	if !ok {
		writeJSON(w, http.StatusNotFound, map[string]string{"error": "no such draw"})
		return
	}
	writeJSON(w, http.StatusOK, l.view(d, l.close(d.ExternalID)))
}

// close notes when a draw was closed first and returns that.
func (l *Lottery) close(id string) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, ok := l.closed[id]; ok {
		return at
	}
	if len(l.closed) >= maxClosed {
		clear(l.closed) // a simulator may forget; closing again does no harm
	}
	l.closed[id] = l.config.Clock.Now()
	return l.closed[id]
}

func (l *Lottery) closedAt(id string) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed[id]
}

// listDraws lists a day's draws, of one game or of all.
func (l *Lottery) listDraws(w http.ResponseWriter, r *http.Request, _ Fault) {
	draws, ok := l.draws(r)
	if !ok {
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": "date must be YYYY-MM-DD"})
		return
	}
	views := []drawView{}
	for _, d := range draws {
		views = append(views, l.view(d, l.closedAt(d.ExternalID)))
	}
	writeJSON(w, http.StatusOK, map[string]any{"draws": views})
}

// listResults lists the results of a day's draws whose time has come.
func (l *Lottery) listResults(w http.ResponseWriter, r *http.Request, fault Fault) {
	draws, ok := l.draws(r)
	if !ok {
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": "date must be YYYY-MM-DD"})
		return
	}
	known := l.config.Clock.Now()
	if fault.Mode == LotteryLate {
		known = known.Add(-fault.lateness())
	}
	results := []resultView{}
	for _, d := range draws {
		if d.Time.After(known) {
			continue
		}
		results = append(results, l.result(d, fault))
	}
	writeJSON(w, http.StatusOK, map[string]any{"results": results})
}

// draws reads game and date of a request; the date is today when it is missing.
func (l *Lottery) draws(r *http.Request) (result []draw, ok bool) {
	day := l.config.Clock.Now().In(l.config.Location)
	if text := r.URL.Query().Get("date"); text != "" {
		parsed, err := time.ParseInLocation(time.DateOnly, text, l.config.Location)
		if err != nil {
			return nil, false
		}
		day = parsed
	}
	code := r.URL.Query().Get("game")
	for _, game := range l.config.Games {
		if code == "" || strings.EqualFold(code, game.Code) {
			result = append(result, l.day(game, day)...)
		}
	}
	slices.SortFunc(result, func(a, b draw) int { return strings.Compare(a.ExternalID, b.ExternalID) })
	return result, true
}
