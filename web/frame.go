package web

import (
	"context"

	"github.com/google/uuid"

	"banca/internal/businessday"
	"banca/internal/org"
	"banca/web/kit"
)

// frame is what surrounds the pages of the panel: a bar and the menu.
type frame struct {
	entities *org.Service
}

// frameData is what the layout shows.
type frameData struct {
	Entity string // the user's
	Today  businessday.Day
	Menu   []kit.MenuArea
}

func (f *frame) data(r *kit.Request) any {
	if r.Caller.Role == "" {
		return &frameData{}
	}
	return &frameData{Entity: r.EntityName(r.Caller.EntityID), Today: r.Today(), Menu: r.Menu()}
}

// entityName returns the name of an entity, "" if it cannot be read.
func (f *frame) entityName(ctx context.Context, id uuid.UUID) string {
	chain, err := f.entities.Chain(ctx, id)
	if err != nil {
		return ""
	}
	return chain.Self().Name
}
