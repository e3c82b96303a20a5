package rollup

import (
	"fmt"

	"github.com/google/uuid"
)

// entityKey is the primary key of daily_totals, with the day counted from 2000-01-01.
type entityKey struct {
	entity   uuid.UUID
	day      int32
	currency uuid.UUID
	game     uuid.UUID
	parent   uuid.UUID
}

// assignMargins sets the commissions of the levels from those by place in the path.
func assignMargins(e events, places map[int32]place) error {
	for at, f := range e {
		p, known := places[at.path]
		if !known {
			return fmt.Errorf("path %d is unknown", at.path)
		}
		for i, margin := range f.margins {
			if margin == 0 {
				continue
			}
			level := f.Commission.level(p.types[i+1])
			if level == nil {
				return fmt.Errorf("path %d has a commission for an %s", at.path, p.types[i+1])
			}
			*level += margin
		}
	}
	return nil
}

// spread adds the figures of ticket points to every entity of their paths.
func spread(e events, places map[int32]place, games map[uuid.UUID]uuid.UUID) map[entityKey]*Figures {
	totals := make(map[entityKey]*Figures, len(e))
	for at, f := range e {
		k := entityKey{day: at.day, currency: at.currency, game: games[at.draw]}
		for _, entity := range places[at.path].entities {
			k.entity = entity
			if totals[k] == nil {
				totals[k] = new(Figures)
			}
			totals[k].Add(&f.Figures)
			k.parent = entity
		}
	}
	return totals
}
