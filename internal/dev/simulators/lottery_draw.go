package simulators

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"time"
)

// draw is one draw of the external system.
type draw struct {
	ExternalID string
	Time       time.Time // UTC
	game       LotteryGame
}

// drawView is a draw as JSON.
type drawView struct {
	ExternalID string     `json:"external_id"`
	Game       string     `json:"game"`
	DrawTime   time.Time  `json:"draw_time"`
	Status     string     `json:"status"` // open, closed or drawn
	ClosedAt   *time.Time `json:"closed_at"`
}

// resultView is a result as JSON.
type resultView struct {
	ExternalID string    `json:"external_id"`
	Game       string    `json:"game"`
	DrawTime   time.Time `json:"draw_time"`
	Value      string    `json:"value"`
	Sign       string    `json:"sign,omitempty"`
	Flags      []string  `json:"flags,omitempty"`
	Wildcard   string    `json:"wildcard,omitempty"`
}

// idTime is the layout of the time in an external id.
const idTime = "20060102-1504"

// day returns a game's draws on the local day of t. A time that is not HH:MM is no draw.
func (l *Lottery) day(game LotteryGame, t time.Time) []draw {
	var draws []draw
	date := t.Format(time.DateOnly)
	for _, text := range game.Times {
		at, err := time.ParseInLocation(time.DateOnly+" 15:04", date+" "+text, l.config.Location)
		if err != nil {
			continue
		}
		draws = append(draws, draw{ExternalID: game.Code + "-" + at.Format(idTime), Time: at.UTC(), game: game})
	}
	return draws
}

// find returns the draw with an external id, if the schedule has it.
func (l *Lottery) find(externalID string) (draw, bool) {
	code, text, _ := strings.Cut(externalID, "-")
	at, err := time.ParseInLocation(idTime, text, l.config.Location)
	if err != nil {
		return draw{}, false
	}
	for _, game := range l.config.Games {
		if game.Code != code {
			continue
		}
		for _, d := range l.day(game, at) {
			if d.ExternalID == externalID {
				return d, true
			}
		}
	}
	return draw{}, false
}

// view shows a draw that was closed at closedAt, or never when that is zero.
func (l *Lottery) view(d draw, closedAt time.Time) drawView {
	v := drawView{ExternalID: d.ExternalID, Game: d.game.Code, DrawTime: d.Time, Status: "open"}
	if !closedAt.IsZero() {
		v.Status, v.ClosedAt = "closed", &closedAt
	}
	if !d.Time.After(l.config.Clock.Now()) {
		v.Status = "drawn"
	}
	return v
}

// result returns the result of a draw.
func (l *Lottery) result(d draw, fault Fault) resultView {
	v := resultView{ExternalID: d.ExternalID, Game: d.game.Code, DrawTime: d.Time, Value: l.value(d, fault)}
	if n := uint64(len(d.game.Signs)); n > 0 {
		v.Sign = d.game.Signs[l.chance(d, "sign")%n]
	}
	for _, flag := range d.game.Flags {
		if l.chance(d, "flag "+flag.Code)%max(flag.OneIn, 1) == 0 {
			v.Flags = append(v.Flags, flag.Code)
		}
	}
	for _, wildcard := range d.game.Wildcards {
		if v.Wildcard == "" && l.chance(d, "wildcard "+wildcard.Code)%max(wildcard.OneIn, 1) == 0 {
			v.Wildcard = wildcard.Code
		}
	}
	return v
}

// chance returns a number that depends on seed, draw and purpose.
func (l *Lottery) chance(d draw, what string) uint64 {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, l.config.Seed), d.ExternalID+what...))
	return binary.BigEndian.Uint64(sum[:8])
}

// value draws: chance picks an element, the next one when the result is to be wrong. A game that follows another
// takes the last two digits of that one's.
func (l *Lottery) value(d draw, fault Fault) string {
	if source, ok := l.source(d); ok {
		value := l.value(source, fault)
		return value[max(len(value)-2, 0):]
	}
	if len(d.game.Elements) == 0 {
		return ""
	}
	n := uint64(len(d.game.Elements))
	pick := l.chance(d, "") % n
	if fault.Mode == LotteryWrong {
		pick = (pick + 1) % n
	}
	return d.game.Elements[pick]
}

// source returns the draw that a draw follows. A draw that follows another itself cannot be followed, so that there
// is no cycle.
func (l *Lottery) source(d draw) (draw, bool) {
	for _, game := range l.config.Games {
		if d.game.LastTwoOf == "" || game.Code != d.game.LastTwoOf || game.LastTwoOf != "" {
			continue
		}
		return l.find(game.Code + "-" + d.Time.In(l.config.Location).Format(idTime))
	}
	return draw{}, false
}
