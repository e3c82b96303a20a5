package storage_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/storage"
)

func TestAnIDIsOfTheInstantThatIsGiven(t *testing.T) {
	t.Parallel()
	at := time.Date(2031, time.March, 2, 4, 5, 6, 789_000_000, time.UTC)
	id, err := storage.IDAt(at)
	require.NoError(t, err)
	assert.Equal(t, at, time.Unix(id.Time().UnixTime()).UTC())
	assert.EqualValues(t, 7, id.Version())
	first, next := storage.FirstID(at), storage.FirstID(at.Add(time.Millisecond))
	assert.Negative(t, bytes.Compare(first[:], id[:]))
	assert.Negative(t, bytes.Compare(id[:], next[:]))
	another, err := storage.IDAt(at)
	require.NoError(t, err)
	assert.NotEqual(t, id, another)
	assert.Equal(t, byte(0), storage.FirstID(time.Unix(-5, 0))[0], "an instant before 1970 has the least id")
}

// Ids of one process sort in their order of creation, also within one instant.
func TestIDsSortAsTheyWereMade(t *testing.T) {
	t.Parallel()
	at := time.Date(2031, time.March, 2, 4, 5, 6, 789_000_000, time.UTC)
	last := storage.FirstID(at)
	for i := range 3_000 {
		id, err := storage.IDAt(at.Add(time.Duration(i/3) * time.Microsecond))
		require.NoError(t, err)
		require.Negative(t, bytes.Compare(last[:], id[:]), "id %d", i)
		require.Equal(t, uuid.RFC4122, id.Variant())
		last = id
	}
}
