package test

import "banca/internal/setup/seed"

// addCatalogue adds games, their grids and draws, which all sellers read and only the operator changes.
func (s *leakSuite) addCatalogue(table map[string]leakEntry) {
	const changes = "it would change the catalogue under the rest of the suite"
	category := seed.ID("category", "ANIMALITOS").String()
	read := func(path map[string]string, query string) leakEntry {
		return leakEntry{probes: []probe{{path: path, query: query, house: ofCatalogue}}}
	}
	change := func(path map[string]string, body map[string]any) leakEntry {
		return leakEntry{probes: []probe{{path: path, body: body, pointless: changes}}, unnamed: map[string]string{"category_id": ofCatalogue, "id": ofCatalogue}}
	}
	element := map[string]string{"id": s.game, "code": "00"}
	elements := map[string]any{"elements": []map[string]any{{"code": "999", "name": "New"}}}
	table["get-draw"] = read(id(s.draw), "")
	table["get-game"] = read(id(s.game), "")
	table["check-game-code"] = read(nil, "?short_code=NEW")
	table["game-schema"] = read(map[string]string{"field": "mechanics"}, "")
	table["list-game-categories"] = house(ofCatalogue)
	table["get-game-category"] = read(id(category), "")
	table["create-game-category"] = change(nil, map[string]any{"name": "New", "code": "NEW"})
	table["update-game-category"] = change(id(category), map[string]any{"name": "New"})
	table["delete-game-category"] = change(id(category), nil)
	table["create-game"] = change(nil, map[string]any{"category_id": category, "name": "New", "short_code": "NEW"})
	table["update-game"] = change(id(s.game), map[string]any{"name": "New"})
	table["set-game-status"] = change(id(s.game), map[string]any{"status": "suspended"})
	table["delete-game"] = change(id(s.game), nil)
	table["create-game-elements"] = change(id(s.game), elements)
	table["update-game-element"] = change(element, map[string]any{"name": "New"})
	table["sync-game"] = change(id(s.game), elements)
	table["sync-draws"] = change(id(s.game), map[string]any{"from": "2027-01-01", "to": "2027-01-01", "draws": []any{}})
}
