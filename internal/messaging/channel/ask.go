package channel

import (
	"errors"
	"sync"

	"github.com/google/uuid"
)

// AskAll calls ask for all ids at once, because a provider that does not answer must not delay the others, and joins the errors.
func AskAll(ids []uuid.UUID, ask func(id uuid.UUID) error) error {
	failed := make([]error, len(ids))
	var all sync.WaitGroup
	for i, id := range ids {
		all.Go(func() { failed[i] = ask(id) })
	}
	all.Wait()
	return errors.Join(failed...)
}
