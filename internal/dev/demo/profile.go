package demo

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"banca/internal/dev/simulators"
	"banca/internal/platform/money"
	"banca/internal/setup/seed"
	"banca/internal/setup/volume"
	"banca/models"
	"banca/web"
)

//go:embed places.csv
var placesFile string

// The people of the three logins, and the places of the partner and the cashier.
const (
	administrator = "Marisela Rondón"
	partnerPlace  = "AGE-01"
	cashierPlace  = "TAQ-001"
)

// OwingAgency is the code of the agency that made no deposit in the last weeks.
const OwingAgency = "AGE-05"

const (
	unit      = 100            // minor units of one bolívar
	credit    = 160_000 * unit // of a ticket point
	liability = 150_000 * unit // of the operator on a selection of a draw
	owesDays  = 38
	growth    = 0.12
	decimals  = 64
)

func operator() seed.Operator {
	return seed.Operator{Administrator: administrator, Currencies: []string{currency, "USD"}, Liability: liability}
}

// columns of places.csv.
const (
	columnCode = iota
	columnParent
	columnName
	columnPerson
	columnOpens
	columnWeight
	columnNote // owes or silent
)

// Profile returns the operator of the demonstration. Its users have the hash of a password.
func Profile(passwordHash string) (*volume.Profile, error) {
	places, err := readPlaces()
	if err != nil {
		return nil, fmt.Errorf("places of the demonstration: %w", err)
	}
	p := &volume.Profile{
		Places: places, PasswordHash: passwordHash, Credit: credit, Source: simulators.SourceOfficial, OwesDays: owesDays, Growth: growth,
		Levels:   [4]volume.Level{{Participation: "30"}, {Participation: "20", Stake: 8_000 * unit}, {}, {Stake: 2_000 * unit}},
		Weekdays: [7]float64{0.82, 0.72, 0.95, 1.0, 1.02, 1.15, 1.34},
		Hours:    [24]float64{7: 3, 8: 6, 9: 8, 10: 10, 11: 11, 12: 10, 13: 8, 14: 8, 15: 9, 16: 10, 17: 11, 18: 10, 19: 4, 20: 1},
	}
	for _, bolivars := range []money.Amount{10, 20, 20, 50, 50, 50, 100, 100, 100, 200, 200, 500} {
		p.Stakes = append(p.Stakes, bolivars*unit)
	}
	for _, bolivars := range []money.Amount{5, 10, 10, 10, 20, 20, 50} {
		p.HighStakes = append(p.HighStakes, bolivars*unit)
	}
	return p, nil
}

// readPlaces reads the tree, whose parents precede their children.
func readPlaces() ([]volume.Place, error) {
	rows, err := csv.NewReader(strings.NewReader(placesFile)).ReadAll()
	if err != nil {
		return nil, err
	}
	below := map[string][][]string{}
	for _, row := range rows[1:] {
		below[row[columnParent]] = append(below[row[columnParent]], row)
	}
	return placesBelow("", below)
}

func placesBelow(parent string, below map[string][][]string) (list []volume.Place, err error) {
	for _, row := range below[parent] {
		p := volume.Place{Code: row[columnCode], Name: row[columnName], Owes: row[columnNote] == "owes", Silent: row[columnNote] == "silent"}
		if row[columnPerson] != "" {
			p.User = userOf(p.Code, row[columnPerson])
		}
		if p.Below, err = placesBelow(p.Code, below); err != nil {
			return nil, err
		}
		if p.Below == nil {
			if p.Opens, err = strconv.Atoi(row[columnOpens]); err != nil {
				return nil, fmt.Errorf("%s: %w", p.Code, err)
			}
			if p.Weight, err = strconv.ParseFloat(row[columnWeight], decimals); err != nil {
				return nil, fmt.Errorf("%s: %w", p.Code, err)
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// userOf returns the user of a place: a cashier at a ticket point, a partner above.
func userOf(code, person string) volume.User {
	u := volume.User{Identifier: strings.ToLower(code), Name: person, Role: models.RoleSocio}
	if strings.HasPrefix(code, "TAQ") {
		u.Role = models.RoleTaquilla
	}
	switch code {
	case partnerPlace:
		u.Email = seed.Users()[2].Email
	case cashierPlace:
		u.Email = seed.Users()[1].Email
	}
	return u
}

// Logins returns what the login page shows: an administrator, a partner and a cashier.
func Logins(p *volume.Profile) []web.Login {
	list := []web.Login{{
		Name: seed.Users()[0].Email, Password: seed.Password, Role: models.RoleAdmin, Person: administrator, Place: "Banca La Fortuna",
	}}
	p.Each(func(place, _ *volume.Place, _ int) {
		if place.User.Email != "" {
			list = append(list, web.Login{
				Name: place.User.Email, Password: seed.Password, Role: place.User.Role, Person: place.User.Name, Place: place.Name,
			})
		}
	})
	return list
}
