package messaging

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"banca/internal/platform/groupcommit"
)

// groups are the statements that concurrent runs of message.send share: one reads the messages with all that decides
// whether they are sent, one leases them, and one transaction writes the ends of their attempts.
type groups struct {
	reads   groupcommit.Calls[uuid.UUID, *queued]
	leases  groupcommit.Calls[lease, *attempt]
	results groupcommit.Calls[*ended, saved]
}

func (s *Service) newGroups() *groups {
	return &groups{
		reads:   groupcommit.NewCalls("messages", s.readQueued, s.deps.Clock),
		leases:  groupcommit.NewCalls("leases of messages", s.leaseAll, s.deps.Clock),
		results: groupcommit.NewCalls("results of messages", s.saveAll, s.deps.Clock),
	}
}

// expect counts a run of message.send, so that others wait for it. The returned function ends the count.
func (g *groups) expect() (leave func()) {
	ends := [...]func(){g.reads.Expect(), g.leases.Expect(), g.results.Expect()}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}

// RunTasks serves the statements that runs of message.send share until ctx ends.
func (s *Service) RunTasks(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { s.groups.reads.Run(ctx) })
	running.Go(func() { s.groups.leases.Run(ctx) })
	running.Go(func() { s.groups.results.Run(ctx) })
	running.Wait()
}
