package catalog_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/catalog"
)

// gridModel is the grid of one game in plain Go: the elements by code.
type gridModel map[string]modelElement

type modelElement struct {
	id       uuid.UUID // Nil until it was read once
	name     string
	display  string
	position int
	retired  bool
}

// list returns the elements in the order of the catalogue.
func (m gridModel) list(retired bool) []catalog.Element {
	var list []catalog.Element
	for code, e := range m {
		if retired || !e.retired {
			list = append(list, catalog.Element{ID: e.id, Code: code, Name: e.name, Display: e.display, Position: e.position, Retired: e.retired})
		}
	}
	slices.SortFunc(list, func(a, b catalog.Element) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.Code, b.Code))
	})
	return list
}

// last is the position of the last element that can be bet on; -1 without one.
func (m gridModel) last() int {
	last := -1
	for _, e := range m {
		if !e.retired {
			last = max(last, e.position)
		}
	}
	return last
}

// put writes an element as requested; its id stays.
func (m gridModel) put(spec *catalog.ElementSpec, position int) {
	e := modelElement{id: m[spec.Code].id, name: spec.Name, display: spec.Display, position: position}
	if e.display == "" {
		e.display = e.name
	}
	if spec.Position != nil {
		e.position = *spec.Position
	}
	m[spec.Code] = e
}

// add expects what AddElements does: all or none.
func (m gridModel) add(grid *catalog.Grid) error {
	for i := range grid.Elements {
		if e, exists := m[grid.Elements[i].Code]; exists && !e.retired {
			return catalog.ErrElementExists
		}
	}
	last := m.last()
	for i := range grid.Elements {
		if grid.Elements[i].Position == nil {
			last++
		}
		m.put(&grid.Elements[i], last)
	}
	return nil
}

// replace expects what SyncGame does, and returns how many elements it retires.
func (m gridModel) replace(grid *catalog.Grid) (retired int) {
	named := map[string]bool{}
	for i := range grid.Elements {
		named[grid.Elements[i].Code] = true
	}
	for code, e := range m {
		if !named[code] {
			if !e.retired {
				retired++
			}
			e.retired = true
			m[code] = e
		}
	}
	for i := range grid.Elements {
		m.put(&grid.Elements[i], i)
	}
	return retired
}

// change expects what UpdateElement does.
func (m gridModel) change(code string, ch *catalog.ElementChange) error {
	e, exists := m[code]
	if !exists {
		return catalog.ErrElement
	}
	if ch.Name != nil {
		if e.display == e.name {
			e.display = *ch.Name
		}
		e.name = *ch.Name
	}
	if ch.Display != nil {
		e.display = *ch.Display
	}
	if ch.Position != nil {
		e.position = *ch.Position
	}
	if ch.Retired != nil {
		e.retired = *ch.Retired
	}
	m[code] = e
	return nil
}

// gridCodes are few, so that they meet again; 5 and 05 are different.
func gridCodes() []string { return []string{"0", "00", "5", "05", "12", "36"} }

func drawnGrid(t *rapid.T) *catalog.Grid {
	g := &catalog.Grid{}
	for _, code := range rapid.SliceOfNDistinct(rapid.SampledFrom(gridCodes()), 1, len(gridCodes()), rapid.ID).Draw(t, "codes") {
		spec := catalog.ElementSpec{Code: code, Name: rapid.SampledFrom([]string{"León", "Burro", "Mono"}).Draw(t, "name")}
		if rapid.Bool().Draw(t, "display") {
			spec.Display = "El " + spec.Name
		}
		if rapid.IntRange(0, 3).Draw(t, "placed") == 0 {
			spec.Position = new(rapid.IntRange(0, 9).Draw(t, "position"))
		}
		g.Elements = append(g.Elements, spec)
	}
	return g
}

func drawnChange(t *rapid.T) *catalog.ElementChange {
	ch := &catalog.ElementChange{}
	if rapid.Bool().Draw(t, "rename") {
		ch.Name = new(rapid.SampledFrom([]string{"Zorro", "Oso"}).Draw(t, "name"))
	}
	if rapid.IntRange(0, 2).Draw(t, "display") == 0 {
		ch.Display = new("otro")
	}
	if rapid.IntRange(0, 2).Draw(t, "move") == 0 {
		ch.Position = new(rapid.IntRange(0, 9).Draw(t, "position"))
	}
	if rapid.Bool().Draw(t, "status") {
		ch.Retired = new(rapid.Bool().Draw(t, "retired"))
	}
	return ch
}

// Elements that are added, changed, retired, brought back and replaced as a whole, in any order, equal a model in
// plain Go: each keeps its id, a refusal changes nothing, and each change is one entry of the activity log.
func TestGridsChangeLikeTheirModel(t *testing.T) {
	t.Parallel()
	s := stock(t)
	rapid.Check(t, func(rt *rapid.T) {
		s.exec(t, `DELETE FROM game_elements`)
		m := gridModel{}
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			entries := s.count(rt, `SELECT count(*) FROM activity_logs`)
			err, want := s.stepGrid(rt, m)
			require.ErrorIs(rt, err, want)
			if want == nil {
				entries++
			}
			require.Equal(rt, entries, s.count(rt, `SELECT count(*) FROM activity_logs`))
			s.requireGrid(rt, m)
		}
	})
}

// stepGrid changes the grid and its model, and returns the error that came and the one that the model expects.
func (s *shop) stepGrid(t *rapid.T, m gridModel) (err, want error) {
	switch rapid.SampledFrom([]string{"add", "change", "replace"}).Draw(t, "operation") {
	case "add":
		given := drawnGrid(t)
		want = m.add(&catalog.Grid{Elements: slices.Clone(given.Elements)})
		added, addErr := s.AddElements(s.ctx, s.game, given)
		err = addErr
		for i := range added {
			e := m[added[i].Code]
			require.True(t, e.id == uuid.Nil || e.id == added[i].ID, "the answer names the element that was brought back")
			e.id = added[i].ID
			m[added[i].Code] = e
		}
	case "change":
		code, ch := rapid.SampledFrom(gridCodes()).Draw(t, "code"), drawnChange(t)
		want = m.change(code, ch)
		_, err = s.UpdateElement(s.ctx, s.game, code, ch)
	default:
		given := drawnGrid(t)
		retired := m.replace(&catalog.Grid{Elements: slices.Clone(given.Elements)})
		result, syncErr := s.SyncGame(s.ctx, s.game, &catalog.Sync{Grid: *given})
		err = syncErr
		if err == nil {
			require.Equal(t, &catalog.SyncResult{Elements: len(given.Elements), Retired: retired}, result)
		}
	}
	return err, want
}

// requireGrid compares the read grid with the model; an id that was read once must stay.
func (s *shop) requireGrid(t *rapid.T, m gridModel) {
	all, err := s.Elements(s.ctx, s.game, true)
	require.NoError(t, err)
	for i := range all {
		if e, known := m[all[i].Code]; known && e.id == uuid.Nil {
			e.id = all[i].ID
			m[all[i].Code] = e
		}
	}
	require.ElementsMatch(t, m.list(true), all)
	require.True(t, slices.IsSortedFunc(all, func(a, b catalog.Element) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.Code, b.Code))
	}))
	active, err := s.Elements(s.ctx, s.game, false)
	require.NoError(t, err)
	require.ElementsMatch(t, m.list(false), active)
	g, err := s.Game(s.ctx, s.game)
	require.NoError(t, err)
	for code, e := range m {
		require.Equal(t, e.retired, g.Element(code) == nil, code)
		require.Equal(t, e.name, g.NameOf(code), "a retired element keeps its name")
	}
}

func (s *shop) count(t require.TestingT, sql string, args ...any) (n int) {
	require.NoError(t, s.env.PG.Pool.QueryRow(s.ctx, sql, args...).Scan(&n))
	return n
}
