// Package choices has the games and the categories as the choices of forms and filters.
package choices

import (
	"context"

	"banca/internal/catalog"
	"banca/web/kit"
)

// GameLister lists the games.
type GameLister interface {
	Games(ctx context.Context) ([]*catalog.Game, error)
}

// CategoryLister lists the categories.
type CategoryLister interface {
	AllCategories(ctx context.Context) ([]catalog.Category, error)
}

// Games returns the games by their ids.
func Games(r *kit.Request, from GameLister) ([]kit.Option, error) {
	list, err := from.Games(r.Context())
	return kit.OptionsOf(list, func(g *catalog.Game) (value, text string) { return g.ID.String(), g.Name }), err
}

// Categories returns the categories by their ids.
func Categories(r *kit.Request, from CategoryLister) ([]kit.Option, error) {
	list, err := from.AllCategories(r.Context())
	return kit.OptionsOf(list, func(c catalog.Category) (value, text string) { return c.ID.String(), c.Name }), err
}
