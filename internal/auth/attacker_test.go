package auth_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/platform/apperr"
)

// attack guesses at names from all networks at once, each as soon as its wait is over, and returns how many passwords were compared in
// each simulated hour.
func (b *bundle) attack(t *testing.T, hours int, networks, names []string) []int {
	t.Helper()
	type source struct{ network, name string }
	next := map[source]time.Time{}
	for _, network := range networks {
		for _, name := range names {
			next[source{network, name}] = b.clock.Now()
		}
	}
	start, compared := b.clock.Now(), make([]int, hours)
	for {
		soonest := start.Add(time.Duration(hours) * time.Hour)
		for s, at := range next {
			for !at.After(b.clock.Now()) {
				err := b.try(t, s.name, "wrong horse", s.network)
				if errors.Is(err, auth.ErrInvalidCredentials) {
					compared[b.clock.Now().Sub(start)/time.Hour]++
					continue
				}
				require.ErrorIs(t, err, auth.ErrTooManyLogins)
				at = b.clock.Now().Add(apperr.From(err).RetryAfter)
			}
			if next[s] = at; at.Before(soonest) {
				soonest = at
			}
		}
		b.clock.Advance(soonest.Sub(b.clock.Now()))
		if b.clock.Now().Sub(start) >= time.Duration(hours)*time.Hour {
			return compared
		}
	}
}

func networksOf(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("10.0.%d.%d", i/250, i%250)
	}
	return list
}

// The bound of docs/people.md on the guesses of strangers at one account holds for any number of networks, and the owner logs in from a
// network of an earlier login meanwhile.
func TestGuessesOfOthersAreBounded(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 20, 200} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			require.NoError(t, b.try(t, "caja-01", password, "192.0.2.1"))
			for hour, compared := range b.attack(t, map[int]int{1: 3, 20: 2, 200: 1}[n], networksOf(n), []string{"caja-01"}) {
				t.Logf("%d networks, hour %d: %d compared", n, hour+1, compared)
				assert.LessOrEqual(t, compared, map[int]int{1: 20, 20: 115, 200: 115}[n])
				assert.GreaterOrEqual(t, compared, min(n, 15), "an attacker who is slowed, not a test that tries nothing")
			}
			require.NoError(t, b.try(t, "caja-01", password, "192.0.2.1"))
		})
	}
}

// One network guesses no more over all accounts than the bound of docs/people.md, however the guesses are spread over names.
func TestOneNetworkGuessesNoMoreThanTheBound(t *testing.T) {
	t.Parallel()
	for _, n := range []int{20, 59} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			names := make([]string, n)
			for i := range names {
				names[i] = fmt.Sprint("name-", i)
			}
			for hour, compared := range b.attack(t, 1, []string{"192.0.2.9"}, names) {
				t.Logf("%d names, hour %d: %d compared", n, hour+1, compared)
				assert.LessOrEqual(t, compared, 315)
			}
			require.NoError(t, b.try(t, "caja-01", password, "192.0.2.10"))
		})
	}
}
