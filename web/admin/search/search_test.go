package search

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSerialsAreReadFromWhatIsTypedAndScanned(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"k7qx 9m2p-4d6a": "K7QX9M2P4D6A", "https://banca.example.com/t/K7QX9M2P4D6A": "K7QX9M2P4D6A", "HTTPS://BANCA.EXAMPLE.COM/T/K7QX9M2P4D6A": "K7QX9M2P4D6A",
		"": "", "León": "", "12": "", "a/t/": "", "María Pérez de la Cruz": "",
	} {
		assert.Equal(t, want, serialOf(typed), typed)
	}
}
