package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/catalog"
	"banca/models"
)

// catalogueModel is the catalogue in plain Go: the categories by code, and the games in their order.
type catalogueModel struct {
	categories map[string]uuid.UUID
	games      []modelGame
}

type modelGame struct {
	id       uuid.UUID
	category uuid.UUID
	code     string
	name     string
	status   string
	stop     int // seconds; -1 for none
	version  int
	payout   string
}

// place is the index of a game; -1 without one.
func (m *catalogueModel) place(id uuid.UUID) int {
	return slices.IndexFunc(m.games, func(g modelGame) bool { return g.id == id })
}

// taken reports whether another game has a code.
func (m *catalogueModel) taken(code string, but uuid.UUID) bool {
	return slices.ContainsFunc(m.games, func(g modelGame) bool { return g.id != but && strings.EqualFold(g.code, code) })
}

func (m *catalogueModel) used(category uuid.UUID) bool {
	return slices.ContainsFunc(m.games, func(g modelGame) bool { return g.category == category })
}

// move puts a game at an index, or last.
func (m *catalogueModel) move(g modelGame, to int) {
	if at := m.place(g.id); at >= 0 {
		m.games = slices.Delete(m.games, at, at+1)
	}
	m.games = slices.Insert(m.games, min(to, len(m.games)), g)
}

const last = 1 << 20

// catalogueWalk applies one drawn operation after another to the service and to the model.
type catalogueWalk struct {
	*shop
	model catalogueModel
}

// Codes are few, so that they meet again; codes of games are compared without case.
func gameCodes() []string     { return []string{"a", "A", "b", "c"} }
func categoryCodes() []string { return []string{"LOTO", "RULETA"} }

// Categories and games that are created, changed, moved and deleted in any order equal a model in plain Go; a
// refusal changes no row.
func TestTheCatalogueChangesLikeItsModel(t *testing.T) {
	t.Parallel()
	s := stock(t)
	rapid.Check(t, func(rt *rapid.T) {
		s.exec(t, `DELETE FROM game_elements`)
		s.exec(t, `DELETE FROM games`)
		s.exec(t, `DELETE FROM game_categories WHERE id <> $1`, s.game)
		w := &catalogueWalk{shop: s, model: catalogueModel{categories: map[string]uuid.UUID{"ANIMALITOS": s.game}}}
		steps := []func(*rapid.T) (err, want error){ // the first ones are drawn most
			w.createGame, w.moveGame, w.changeGame, w.setStatus, w.createCategory, w.recodeCategory, w.deleteGame, w.deleteCategory,
		}
		for _, code := range []string{"a", "b", "c"}[rapid.IntRange(0, 3).Draw(rt, "without"):] {
			made, err := s.CreateGame(s.ctx, newGame(s, code))
			require.NoError(rt, err)
			w.model.move(modelGame{id: made.ID, category: s.game, code: code, name: made.Name, status: models.StatusActive, stop: -1, version: 1}, last)
		}
		for range rapid.IntRange(5, 15).Draw(rt, "steps") {
			step := rapid.IntRange(0, len(steps)-1).Draw(rt, "operation")
			before := s.count(rt, `SELECT count(*) FROM activity_logs`)
			err, want := steps[step](rt)
			require.ErrorIs(rt, err, want)
			if want != nil {
				require.Equal(rt, before, s.count(rt, `SELECT count(*) FROM activity_logs`))
			}
			w.requireEqual(rt)
		}
	})
}

// category draws one of the categories, or an unknown one.
func (w *catalogueWalk) category(t *rapid.T) (code string, id uuid.UUID) {
	code = rapid.SampledFrom(append([]string{"ANIMALITOS"}, categoryCodes()...)).Draw(t, "category")
	id, known := w.model.categories[code]
	if !known {
		return code, uuid.New()
	}
	return code, id
}

// game draws one of the games, or an unknown one.
func (w *catalogueWalk) game(t *rapid.T) (at int, id uuid.UUID) {
	at = rapid.IntRange(0, len(w.model.games)).Draw(t, "game")
	if at == len(w.model.games) {
		return -1, uuid.New()
	}
	return at, w.model.games[at].id
}

func (w *catalogueWalk) createCategory(t *rapid.T) (err, want error) {
	code := rapid.SampledFrom(categoryCodes()).Draw(t, "code")
	made, err := w.CreateCategory(w.ctx, &catalog.CategoryChange{Name: &code, Code: &code})
	if _, exists := w.model.categories[code]; exists {
		return err, catalog.ErrCategoryExists
	}
	if err == nil {
		w.model.categories[code] = made.ID
	}
	return err, nil
}

func (w *catalogueWalk) recodeCategory(t *rapid.T) (err, want error) {
	code, id := w.category(t)
	if code == "ANIMALITOS" {
		return nil, nil // the others begin with it
	}
	becomes := rapid.SampledFrom(categoryCodes()).Draw(t, "becomes")
	_, err = w.UpdateCategory(w.ctx, id, &catalog.CategoryChange{Code: &becomes})
	_, known := w.model.categories[code]
	_, exists := w.model.categories[becomes]
	switch {
	case !known:
		return err, catalog.ErrCategoryNotFound
	case code == becomes:
		return err, nil
	case w.model.used(id):
		return err, catalog.ErrCategoryInUse
	case exists:
		return err, catalog.ErrCategoryExists
	}
	delete(w.model.categories, code)
	w.model.categories[becomes] = id
	return err, nil
}

func (w *catalogueWalk) deleteCategory(t *rapid.T) (err, want error) {
	code, id := w.category(t)
	if code == "ANIMALITOS" {
		return nil, nil // the others begin with it
	}
	err = w.DeleteCategory(w.ctx, id)
	switch _, known := w.model.categories[code]; {
	case !known:
		return err, catalog.ErrCategoryNotFound
	case w.model.used(id):
		return err, catalog.ErrCategoryInUse
	}
	delete(w.model.categories, code)
	return err, nil
}

func (w *catalogueWalk) createGame(t *rapid.T) (err, want error) {
	category, id := w.category(t)
	code := rapid.SampledFrom(gameCodes()).Draw(t, "code")
	made, err := w.CreateGame(w.ctx, &catalog.GameChange{CategoryID: &id, Name: &code, ShortCode: &code, Documents: catalog.Documents{}})
	switch _, known := w.model.categories[category]; {
	case w.model.taken(code, uuid.Nil):
		return err, catalog.ErrGameExists
	case !known:
		return err, catalog.ErrInvalidGame
	}
	if err == nil {
		w.model.move(modelGame{id: made.ID, category: id, code: code, name: code, status: models.StatusActive, stop: -1, version: 1}, last)
	}
	return err, nil
}

// changeGame changes the short code, the stop and the rules, of which a new version is kept only where they differ.
func (w *catalogueWalk) changeGame(t *rapid.T) (err, want error) {
	at, id := w.game(t)
	code := rapid.SampledFrom(gameCodes()).Draw(t, "code")
	stop := rapid.IntRange(0, 2).Draw(t, "stop")
	payout := rapid.SampledFrom([]string{"0.5", "0.6"}).Draw(t, "payout") // cheap enough for a grid of any size
	rules := `{"bet_types":[{"type":"` + w.bet(at) + `","payout":"` + payout + `"}]}`
	_, err = w.UpdateGame(w.ctx, id, &catalog.GameChange{ShortCode: &code, SaleStop: new(new(stop)), Documents: fields(catalog.FieldRules, rules)})
	switch {
	case at < 0:
		return err, catalog.ErrGameNotFound
	case w.model.taken(code, id):
		return err, catalog.ErrGameExists
	}
	g := &w.model.games[at]
	if g.payout != payout {
		g.version++
	}
	g.code, g.stop, g.payout = code, stop, payout
	return err, nil
}

// bet is a bet type of the game's category: animals are elements, all others numbers.
func (w *catalogueWalk) bet(at int) string {
	if at >= 0 && w.model.games[at].category == w.shop.game {
		return catalog.BetStraight
	}
	return catalog.BetTerminal
}

func (w *catalogueWalk) moveGame(t *rapid.T) (err, want error) {
	at, id := w.game(t)
	to := 4 - rapid.IntRange(0, 5).Draw(t, "position")
	_, err = w.UpdateGame(w.ctx, id, &catalog.GameChange{Position: &to})
	switch {
	case at < 0:
		return err, catalog.ErrGameNotFound
	case to < 0:
		return err, catalog.ErrInvalidGame
	}
	w.model.move(w.model.games[at], to)
	return err, nil
}

func (w *catalogueWalk) setStatus(t *rapid.T) (err, want error) {
	at, id := w.game(t)
	status := rapid.SampledFrom([]string{models.StatusActive, models.StatusSuspended, models.StatusInactive, models.StatusBlocked}).Draw(t, "status")
	_, err = w.SetGameStatus(w.ctx, id, status)
	if at < 0 {
		return err, catalog.ErrGameNotFound
	}
	g := &w.model.games[at]
	allowed := map[string]string{ // which statuses follow each
		models.StatusActive: "active suspended inactive", models.StatusSuspended: "suspended active inactive", models.StatusInactive: "inactive active",
	}
	if !slices.Contains(strings.Fields(allowed[g.status]), status) {
		return err, catalog.ErrGameStatus
	}
	g.status = status
	return err, nil
}

func (w *catalogueWalk) deleteGame(t *rapid.T) (err, want error) {
	at, id := w.game(t)
	err = w.DeleteGame(w.ctx, id)
	if at < 0 {
		return err, catalog.ErrGameNotFound
	}
	w.model.games = slices.Delete(w.model.games, at, at+1)
	return err, nil
}

// requireEqual compares everything that is read with the model.
func (w *catalogueWalk) requireEqual(t *rapid.T) {
	categories, err := w.AllCategories(w.ctx)
	require.NoError(t, err)
	read := map[string]uuid.UUID{}
	for i := range categories {
		c := &categories[i]
		read[c.Code] = c.ID
		games := 0
		for _, g := range w.model.games {
			if g.category == c.ID {
				games++
			}
		}
		require.Equal(t, games, c.Games, c.Code)
	}
	require.Equal(t, w.model.categories, read)

	games, err := w.Games(w.ctx)
	require.NoError(t, err)
	var listed []modelGame
	for _, g := range games {
		row := modelGame{id: g.ID, category: g.CategoryID, code: g.ShortCode, name: g.Name, status: g.Status, stop: -1, version: g.RuleVersion}
		if g.SaleStop != nil {
			row.stop = int(g.SaleStop.Seconds())
		}
		for _, bet := range g.BetTypes() {
			row.payout = g.Rule(bet).PayoutFor("").String()
		}
		listed = append(listed, row)
		versions, err := w.RuleVersions(w.ctx, g.ID)
		require.NoError(t, err)
		require.Len(t, versions, g.RuleVersion, "every version is kept")
	}
	require.Equal(t, append([]modelGame{}, w.model.games...), append([]modelGame{}, listed...))
}
