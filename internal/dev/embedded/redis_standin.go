package embedded

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/url"
	"sync"

	"github.com/alicebob/miniredis/v2"
	lua "github.com/yuin/gopher-lua"
)

// luaRegistry bounds the values a script of the stand-in may hold at once. Its default, 5,120, is less than a long
// ticket needs.
const luaRegistry = 1 << 15

// standIn is an in-process imitation of Redis for machines without one.
type standIn struct {
	server *miniredis.Miniredis
	done   chan struct{}
	once   sync.Once
}

// startStandIn starts the imitation on a free loopback port. The port is open to every user of the machine,
// hence the password.
func startStandIn(log *slog.Logger) (*Redis, error) {
	lua.RegistrySize = luaRegistry
	server := miniredis.NewMiniRedis()
	password := rand.Text()
	server.RequireAuth(password)
	server.ClockTTL(true) // by default it lets nothing expire
	if err := server.StartAddr("127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("embedded redis: in-process stand-in: %w", err)
	}
	log.Warn("no redis-server or valkey-server found: queues and counts live in memory only" +
		" and are lost when the program stops; apt-get install redis-server")
	u := url.URL{Scheme: "redis", User: url.UserPassword("", password), Host: server.Addr()}
	return &Redis{url: u.String(), standIn: &standIn{server: server, done: make(chan struct{})}}, nil
}

func (s *standIn) stop() {
	s.once.Do(func() {
		s.server.Close()
		close(s.done)
	})
}
