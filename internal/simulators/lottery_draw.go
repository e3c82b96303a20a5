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

// value draws: a hash of seed and external id picks an element, the next one when the result is to be wrong.
func (l *Lottery) value(d draw, fault Fault) string {
	if len(d.game.Elements) == 0 {
		return ""
	}
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, l.config.Seed), d.ExternalID...))
	n := uint64(len(d.game.Elements))
	pick := binary.BigEndian.Uint64(sum[:8]) % n
	if fault.Mode == LotteryWrong {
		pick = (pick + 1) % n
	}
	return d.game.Elements[pick]
}
