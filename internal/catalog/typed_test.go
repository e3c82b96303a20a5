package catalog

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAnElementIsFoundAsItIsTyped(t *testing.T) {
	t.Parallel()
	g := &Game{names: map[string]string{"5": "León", "05": "Ñandú", "0": "Delfín", "00": "00", "7": "Gato", "8": "gato"}}
	for typed, want := range map[string]string{
		"5": "5", "05": "05", "00": "00", "LEON": "5", " leon ": "5", "5  león": "5", "05 nandu": "05", "8 Gato": "8",
		"gato": "", "6": "", "": "", "5 Delfín": "", "leo": "",
	} {
		code, ok := g.FindElement(typed)
		assert.Equal(t, want, code, typed)
		assert.Equal(t, want != "", ok, typed)
	}
	other, numbers := &Game{names: map[string]string{"6": "León", "7": "Gato"}}, &Game{mechanics: Mechanics{Kind: DrawsNumber}}
	for typed, want := range map[string]string{"7 Gato": "7", "leon": "", "05 nandu": "05", "99 Dragón": "", "Dragón": "", "042": "042", "": ""} {
		code, ok := FindElementIn([]*Game{g, other, numbers}, typed)
		assert.Equal(t, want, code, typed)
		assert.Equal(t, want != "", ok, typed)
	}
	for typed, want := range map[string]string{"042 Leo": "042", "042": "042"} {
		code, _ := FindElementIn([]*Game{numbers}, typed)
		assert.Equal(t, want, code, typed)
	}
	_, ok := FindElementIn([]*Game{other}, "99")
	assert.False(t, ok, "a number of a game of animals")
	for typed, want := range map[string]string{"leo": "LEO", "ESC": "ESC", "géminis": "GEM", "Geminis": "GEM", "": "", "le": ""} {
		code, _ := FindSign(typed)
		assert.Equal(t, want, code, typed)
	}
}
