package secrets_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/platform/secrets"
)

func key(name string, b byte) string {
	return name + ":" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(b), 32)))
}

func keyring(t require.TestingT, keys ...string) *secrets.Keyring {
	k, err := secrets.Parse(strings.Join(keys, ", "))
	require.NoError(t, err)
	return k
}

func TestASealedValueOpensInItsContextOnly(t *testing.T) {
	t.Parallel()
	k := keyring(t, key("a", 'a'))
	rapid.Check(t, func(r *rapid.T) {
		value, context := rapid.SliceOf(rapid.Byte()).Draw(r, "value"), rapid.String().Draw(r, "context")
		sealed, err := k.Seal(value, context)
		require.NoError(r, err)
		opened, err := k.Open(sealed, context)
		require.NoError(r, err)
		assert.Equal(r, string(value), string(opened))
		_, err = k.Open(sealed, context+"x")
		require.ErrorIs(r, err, secrets.ErrSealed)
	})
}

func TestAnAlteredValueDoesNotOpen(t *testing.T) {
	t.Parallel()
	k := keyring(t, key("a", 'a'))
	sealed, err := k.Seal([]byte("top secret"), "row")
	require.NoError(t, err)
	assert.NotContains(t, sealed, "secret")
	for i := range sealed {
		altered := []byte(sealed)
		altered[i] ^= 1
		_, err := k.Open(string(altered), "row")
		require.Error(t, err, "byte %d", i)
	}
	for _, text := range []string{"", ":", "a", "a:", "a:%%", "a:AAAA"} {
		_, err := k.Open(text, "row")
		require.Error(t, err, text)
	}
}

func TestAKeyIsReplaced(t *testing.T) {
	t.Parallel()
	before := keyring(t, key("old", 'o'))
	sealed, err := before.Seal([]byte("v"), "row")
	require.NoError(t, err)
	both := keyring(t, key("new", 'n'), key("old", 'o'))
	assert.False(t, both.Current(sealed))
	opened, err := both.Open(sealed, "row")
	require.NoError(t, err)
	again, err := both.Seal(opened, "row")
	require.NoError(t, err)
	assert.True(t, both.Current(again))
	after := keyring(t, key("new", 'n'))
	opened, err = after.Open(again, "row")
	require.NoError(t, err)
	assert.Equal(t, "v", string(opened))
	_, err = after.Open(sealed, "row")
	require.ErrorIs(t, err, secrets.ErrUnknownKey)
	other := keyring(t, key("new", 'x'))
	_, err = other.Open(again, "row")
	require.ErrorIs(t, err, secrets.ErrSealed, "a key of the same name")
}

func TestKeysAreCheckedAndNotRepeatedInErrors(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a", "a:", ":" + key("", 'a'), key("a", 'a') + "," + key("a", 'b'), "a:hunter2hunter2", key("a b", 'a'),
		"a:" + base64.StdEncoding.EncodeToString([]byte("hunter2 is short")), key("a", 'a') + ",",
	} {
		_, err := secrets.Parse(text)
		require.ErrorIs(t, err, secrets.ErrKeys, text)
		assert.NotContains(t, fmt.Sprint(err), "hunter2")
	}
	none := keyring(t, "")
	assert.False(t, none.CanSeal())
	_, err := none.Seal(nil, "")
	require.ErrorIs(t, err, secrets.ErrNoKey)
	_, err = none.Open("a:b", "")
	require.ErrorIs(t, err, secrets.ErrUnknownKey)
}
