package org

import (
	"context"

	"github.com/google/uuid"

	"banca/internal/platform/money"
)

// Modes of a participation: what happens with the losses of a week.
const (
	ParticipationCarry  = "CARRY"  // a loss is carried forward and reduces the shares of the weeks after it
	ParticipationShared = "SHARED" // the entity bears its share of a loss at once
	ParticipationNone   = "NONE"   // a loss is forgotten
)

// participationModes returns the valid modes; "" means CARRY.
func participationModes() []string {
	return []string{"", ParticipationCarry, ParticipationShared, ParticipationNone}
}

// Participant is an entity with its effective participation.
type Participant struct {
	ID     uuid.UUID
	Parent uuid.UUID // Nil for the operator
	Path   string
	Name   string
	Code   string
	Type   string
	Rate   money.BasisPoints // of the result of the entity's subtree, including the shares of its descendants; 100 % for the operator
	Mode   string
}

// Participants returns the operator with every entity below it, parents before their children. An entity without a
// participation inherits its parent's; directly below the operator it has none. A rate above the parent's is reduced
// to it.
func (s *Service) Participants(ctx context.Context, root uuid.UUID) ([]Participant, error) {
	b, err := loadBranch(s.db.WithContext(ctx), root)
	if err != nil {
		return nil, err
	}
	list := make([]Participant, len(b))
	for i, rate := range b.grantedRates(ownShare, func(int, money.BasisPoints, money.BasisPoints) {}) {
		r := &b[i]
		p := Participant{
			ID: r.id, Path: r.path, Name: r.name, Code: r.code, Type: r.kind, Rate: rate, Mode: ParticipationCarry,
		}
		if r.parent != NoParent {
			p.Parent = b[r.parent].id
			if b[r.parent].parent != NoParent {
				p.Mode = list[r.parent].Mode
			}
		}
		if own := r.finance.Participation; own != nil {
			p.Mode = own.mode()
		}
		list[i] = p
	}
	return list, nil
}

// Participation returns the effective participation of the chain's entity, as Participants does.
func (c Chain) Participation() (money.BasisPoints, string, error) {
	granted, mode := money.BasisPoints(0), ParticipationCarry
	for i := range c {
		own := c[i].Finance.Participation
		if own == nil {
			continue
		}
		rate, err := parsePercent(own.Percent)
		if err != nil {
			return 0, "", err
		}
		if mode = own.mode(); i > 1 {
			rate = min(rate, granted)
		}
		granted = rate
	}
	if len(c) == 1 {
		return money.FullRate, mode, nil
	}
	return granted, mode, nil
}

func (p *Participation) mode() string {
	if p.Mode == "" {
		return ParticipationCarry
	}
	return p.Mode
}
