package customers_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/customers"
)

// found returns the names of the first ticket point's customers that match a text.
func (b *bundle) found(t testing.TB, text string) (names []string) {
	t.Helper()
	list, total, err := b.List(t.Context(), b.admin, &customers.Filter{EntityID: b.point.ID, Search: text, Limit: 200})
	require.NoError(t, err, "%q", text)
	require.Len(t, list, int(total), "%q", text)
	for i := range list {
		names = append(names, list[i].Name)
	}
	return names
}

func TestASearchIgnoresAccentsAndTheFormOfTelephones(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.create(t, "María  José Ñáñez", "+584141234567")
	b.create(t, "Pedro 100%_", "+573001112233")
	for _, text := range []string{
		"", "maria", "MARÍA", "nanez", "ÑÁÑEZ", "osé  mar", "maria 4567", "0414-123.45", "+58 414 123", "58414", "0058414", "4567", "(0414)1234567",
		"0", "n\u0303an\u0303", "maría maria", "\x00", "a z",
	} {
		require.Contains(t, b.found(t, text), "María  José Ñáñez", "%q", text)
	}
	for _, text := range []string{"pérez", "maria pedro", "maria 9999", "%", "_", `\`, "maria%", "m_ria", "👩", "＋58", strings.Repeat("9", 40), "\u202e", strings.Repeat("a", 300)} {
		require.NotContains(t, b.found(t, text), "María  José Ñáñez", "%q", text)
	}
	for _, text := range []string{"%", "_", "100%", "%_"} {
		require.Equal(t, []string{"Pedro 100%_"}, b.found(t, text), "%q", text)
	}
	require.Empty(t, b.found(t, "\xff\xfe"), "a text that is not UTF-8 finds nothing and fails nothing")
	list, total, err := b.List(t.Context(), b.foreign, &customers.Filter{Limit: 10})
	require.NoError(t, err)
	require.Zero(t, total)
	require.Empty(t, list)
	list, total, err = b.List(t.Context(), b.seller, &customers.Filter{Limit: 1, Offset: 1})
	require.NoError(t, err)
	require.EqualValues(t, 2, total)
	require.Equal(t, "Pedro 100%_", list[0].Name, "pages are in the order of names")
}

// matches is the search in plain Go: every word of letters is part of the name, every word of digits part of the telephone.
func matches(name, phone string, words []string) bool {
	plain := strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ñ", "n", "ü", "u")
	for _, word := range words {
		in, text := phone, strings.TrimPrefix(strings.TrimPrefix(word, "0"), "0")
		if strings.Trim(word, "0123456789") != "" {
			in, text = plain.Replace(strings.ToLower(name)), plain.Replace(strings.ToLower(word))
		}
		if !strings.Contains(in, text) {
			return false
		}
	}
	return true
}

func TestASearchFindsWhatAPlainModelFinds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	parts := []string{"Ana", "Ñuñez", "García", "Güerra", "Peña", "de", "Ü", "José", "a%", "Li_z"}
	words := []string{"an", "NUN", "ñ", "garcia", "Gü", "u", "e", "jose", "%", "_", "414", "0414", "00", "123", "7", "zz"}
	r := rand.New(rand.NewPCG(1, 2))
	type person struct{ name, phone string }
	var all []person
	for n := range 120 {
		p := person{parts[r.IntN(len(parts))] + " " + parts[r.IntN(len(parts))] + " " + parts[r.IntN(len(parts))], numbered(r.IntN(9000)*1000 + n)}
		all = append(all, p)
		b.create(t, p.name, p.phone)
	}
	for range 200 {
		var text []string
		for range r.IntN(4) {
			text = append(text, words[r.IntN(len(words))])
		}
		var want []string
		for _, p := range all {
			if matches(p.name, p.phone, text) {
				want = append(want, p.name)
			}
		}
		require.ElementsMatch(t, want, b.found(t, strings.Join(text, " ")), "%q", text)
	}
}

func TestMergedAndDeletedRowsAreNotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	kept, merged, gone := b.create(t, "Ana", numbered(1)), b.create(t, "Anita", numbered(2)), b.create(t, "Anabel", numbered(3))
	_, err := b.Merge(t.Context(), b.admin, customers.Union{Kept: kept.ID, Merged: merged.ID})
	require.NoError(t, err)
	require.NoError(t, b.Delete(t.Context(), b.admin, gone.ID))
	require.Equal(t, []string{"Ana"}, b.found(t, "an"))
	require.Empty(t, b.found(t, numbered(2)))
	_, err = b.Get(t.Context(), b.admin, uuid.Must(uuid.NewV7()))
	require.ErrorIs(t, err, customers.ErrNotFound)
}
