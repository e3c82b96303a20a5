package drafts

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
)

// place is the games and hours that a part of the text names.
type place struct {
	games []*catalog.Game
	hours []hour
}

func (p *place) empty() bool { return len(p.games) == 0 && len(p.hours) == 0 }

// bare reports whether the place is one time such as 5:20 without another word, which may be a number and an amount.
func (p *place) bare() bool { return len(p.games) == 0 && len(p.hours) == 1 && p.hours[0].bare }

// within returns the place with what it leaves open as a heading above it says it.
func (p *place) within(heading *place) place {
	whole := *p
	if len(p.games) == 0 {
		whole.games = heading.games
	}
	if len(p.hours) == 0 {
		whole.hours = heading.hours
	}
	return whole
}

// add adds what a token names. It reports whether the token names a game or an hour.
func (p *place) add(t *token) bool {
	switch t.sense {
	case senseGame:
		if !slices.Contains(p.games, t.game[0]) {
			p.games = append(p.games, t.game[0])
		}
	case senseHour:
		p.hours = append(p.hours, t.hour)
	default:
		return false
	}
	return true
}

// says reports whether a draw takes place at the hour. Exactly is false for an hour without minutes in which a draw takes place later.
func (h *hour) says(at time.Time) (said, exactly bool) {
	switch h.part {
	case night:
		return at.Hour() >= 18, false
	case afternoon:
		return at.Hour() >= 12 && at.Hour() < 18, false
	}
	hours := at.Hour() == h.hour || !h.exact && at.Hour()%12 == h.hour%12
	return hours && (!h.minutes || at.Minute() == h.minute), at.Minute() == h.minute
}

// drawsOf returns the draws of a place: for each game those at its hours, without hours the chosen ones, or the next one.
func (r *reader) drawsOf(p *place) ([]Draw, *apperr.Detail) {
	games := p.games
	if len(games) == 0 {
		games = r.chosenGames()
	}
	if len(games) == 0 {
		return nil, apperr.Line("LIST_NO_GAME", "no game is named or chosen")
	}
	var draws []Draw
	for _, game := range games {
		found, refused := r.drawsOfGame(game, p.hours)
		if refused != nil {
			return nil, refused
		}
		draws = append(draws, found...)
	}
	return draws, nil
}

func (r *reader) chosenGames() []*catalog.Game {
	var games []*catalog.Game
	for i := range r.offer.Draws {
		if d := &r.offer.Draws[i]; r.chosen[d.ID] && !slices.Contains(games, d.Game) {
			games = append(games, d.Game)
		}
	}
	return games
}

func (r *reader) drawsOfGame(game *catalog.Game, hours []hour) ([]Draw, *apperr.Detail) {
	on := slices.DeleteFunc(slices.Clone(r.offer.Draws), func(d Draw) bool { return d.Game != game })
	if len(on) == 0 {
		return nil, apperr.Line("LIST_NO_DRAW", "no draw of the game is on sale", "game", game.Name)
	}
	if len(hours) == 0 {
		if chosen := slices.DeleteFunc(slices.Clone(on), func(d Draw) bool { return !r.chosen[d.ID] }); len(chosen) > 0 {
			return chosen, nil
		}
		return on[:1], nil
	}
	var draws []Draw
	for i := range hours {
		draw, refused := r.drawAt(game, on, &hours[i])
		if refused != nil {
			return nil, refused
		}
		draws = append(draws, draw)
	}
	return draws, nil
}

// drawAt returns the one draw of today at an hour.
func (r *reader) drawAt(game *catalog.Game, on []Draw, h *hour) (Draw, *apperr.Detail) {
	today := businessday.Of(r.offer.Now, r.offer.Zone)
	var exact, near []Draw
	for _, d := range on {
		if businessday.Of(d.Time, r.offer.Zone) != today {
			continue
		}
		switch said, exactly := h.says(d.Time.In(r.offer.Zone)); {
		case said && exactly:
			exact = append(exact, d)
		case said:
			near = append(near, d)
		}
	}
	if len(exact) == 0 {
		exact = near
	}
	switch len(exact) {
	case 0:
		return Draw{}, apperr.Line("LIST_NO_DRAW", "no draw of the game is on sale at this hour", "game", game.Name)
	case 1:
		return exact[0], nil
	}
	return Draw{}, hourUnclear(game.Name)
}

// chosenSet is the set of the chosen draws.
func chosenSet(ids []uuid.UUID) map[uuid.UUID]bool {
	set := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
