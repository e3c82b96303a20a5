package channel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/messaging/channel"
)

// FuzzParseKey: a key of a provider's report names a delivery only in the form that Message.Key writes, but for the forms of its id.
func FuzzParseKey(f *testing.F) {
	for _, key := range []string{"", ".", "0191d1c2-7d9a-7000-8000-000000000001", "0191d1c2-7d9a-7000-8000-000000000001.2", "0191d1c2-7d9a-7000-8000-000000000001.02", "x.2"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		id, delivery, ok := channel.ParseKey(key)
		if !ok {
			return
		}
		require.Positive(t, delivery)
		again, number, ok := channel.ParseKey((&channel.Message{ID: id, Delivery: delivery}).Key())
		require.True(t, ok)
		require.Equal(t, id, again)
		require.Equal(t, delivery, number)
	})
}
