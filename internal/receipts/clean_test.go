package receipts

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestClean(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"ASCII", "Lotto Activo  #3", "Lotto Activo  #3"},
		{"accents", "Peñón Ciempiés Águila ü", "Peñón Ciempiés Águila ü"},
		{"combining marks", "Peon\u0303 Ratón A\u0301guila", "Peoñ Ratón Águila"},
		{"mark without a base", "x\u0323\u0301", "x"},
		{"control bytes", "a\x1b@b\x00c\x7f", "a?@b?c?"},
		{"C1 control", "a\u009bb", "a?b"},
		{"line ends", "uno\r\ndos\ttres", "uno  dos tres"},
		{"outer space", " \u00a0x ", "x"},
		{"right to left override", "a\u202eb\u200bc\u00add", "abcd"},
		{"typography", "“a” – ‘b’… 5 €", `"a" - 'b'... 5 EUR`},
		{"base letter", "Şőł", "So?"},
		{"emoji", "León 🦁", "León ?"},
		{"not UTF-8", "a\xffb", "a?b"},
		{"too long", strings.Repeat("ñ", maxText+1), strings.Repeat("ñ", maxText-3) + "..."},
		{"full length", strings.Repeat("ñ", maxText), strings.Repeat("ñ", maxText)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, clean(tt.in))
		})
	}
}

func TestShortName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Caballo": "CABA", "León": "LEÓN", "Rato\u0301n": "RATÓ", "Ñandú": "ÑAND", "Oso": "OSO", "Pez loro": "PEZ",
		"": "", "ÿ": "Y", "El\x1bx": "EL?X",
	} {
		assert.Equal(t, want, shortName(in), "%q", in)
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"uno dos", "tres"}, wrap(nil, "uno dos tres", 8))
	assert.Equal(t, []string{"a", "ñññ", "ñ b"}, wrap(nil, "a ññññ b", 3))
	assert.Equal(t, []string{"123456", "789"}, wrap(nil, "123456789", 6))
}
