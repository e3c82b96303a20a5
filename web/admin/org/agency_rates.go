package org

import (
	"strings"

	"github.com/google/uuid"

	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/web/kit"
)

// ratesLine says what the entity above grants, and what the agency and its ticket point get of it.
type ratesLine struct {
	Text  string
	Wrong bool // a commission exceeds that of the entity above
}

// heldRate is the commission of a new entity: the typed one, or what it inherits.
type heldRate struct {
	org.RateRange

	own bool
}

// readRate reads a commission; a text that is no percentage counts as none.
func readRate(typed string, inherited org.RateRange) heldRate {
	if rate, err := kit.ReadPercent(typed); err == nil {
		return heldRate{RateRange: org.RateRange{Least: rate, Most: rate}, own: true}
	}
	return heldRate{RateRange: inherited}
}

// newRatesLine compares typed commissions with what the parent grants. An entity below the operator inherits nothing.
func newRatesLine(r *kit.Request, parent *org.Entity, granted org.RateRange, agencyRate, pointRate string) *ratesLine {
	inherited := granted
	if parent.ParentID == uuid.Nil {
		inherited = org.RateRange{}
	}
	agency := readRate(agencyRate, inherited)
	point := readRate(pointRate, agency.RateRange)
	line := r.Say("agency.line", parent.Name, rangeText(r, granted), agency.text(r), point.text(r))
	switch {
	case agency.own && agency.Least > granted.Least:
		return &ratesLine{Text: line + ". " + excessText(r, "agency", parent, agency.Least, granted.Least), Wrong: true}
	case point.own && point.Least > agency.Least:
		return &ratesLine{Text: line + ". " + excessText(r, "point", parent, point.Least, agency.Least), Wrong: true}
	}
	left := org.RateRange{}
	if point.own {
		left = org.RateRange{Least: agency.Least - point.Least, Most: agency.Most - point.Least}
	}
	return &ratesLine{Text: line + r.Say("agency.line.left", rangeText(r, left))}
}

func (h heldRate) text(r *kit.Request) string {
	if h.own {
		return rangeText(r, h.RateRange)
	}
	return r.Say("agency.line.inherits", rangeText(r, h.RateRange))
}

func rangeText(r *kit.Request, rates org.RateRange) string {
	if rates.Least == rates.Most {
		return shortPercent(r, rates.Least)
	}
	return r.Say("agency.line.range", shortPercent(r, rates.Least), shortPercent(r, rates.Most))
}

// shortPercent is a percentage without needless decimals: "15 %" and "12,5 %".
func shortPercent(r *kit.Request, rate money.BasisPoints) string {
	return strings.TrimRight(strings.TrimRight(r.Money(money.Amount(rate), 2), "0"), ".,") + " %"
}

// excessText names the numbers of a commission of a part that exceeds that of the entity above.
func excessText(r *kit.Request, part string, parent *org.Entity, wanted, allowed money.BasisPoints) string {
	if part == "agency" {
		return r.Say("agency.excess.agency", shortPercent(r, wanted), parent.Name, shortPercent(r, allowed))
	}
	return r.Say("agency.excess.point", shortPercent(r, wanted), shortPercent(r, allowed))
}
