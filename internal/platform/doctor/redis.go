package doctor

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"banca/internal/platform/egress"
	"banca/storage"
)

const leastRedis = 7 // docs/operations.md, "Installing"

// redis examines the server of the queues and the counts. Nothing is lost with it, but tasks and counts have to be
// rebuilt, and an evicted key is a task that runs late.
func (e *examination) redis(ctx context.Context) {
	const check = "redis"
	address := e.Config.Redis.RedisURL.Reveal()
	client, err := storage.OpenRedis(ctx, address)
	if err != nil {
		e.fail(check, err.Error(), "start it (systemctl start redis-server), or correct REDIS_URL"+e.in())
		return
	}
	defer func() { _ = client.Close() }()
	e.redisAddress(address)
	info, err := client.Info(ctx, "server", "replication").Result()
	if err != nil {
		e.weak(check, err.Error(), "let this user of Redis run INFO")
		return
	}
	version := infoField(info, "redis_version")
	if !atLeast(leastRedis)(firstNumber(version)) {
		e.fail(check, "version "+version+" is too old", "install Redis 7 or Valkey")
	} else {
		e.ok(check, "version %s", version)
	}
	if infoField(info, "role") == "slave" {
		e.fail(check, "the server is a replica, which writes nothing", "name the master in REDIS_URL"+e.in())
	}
	e.redisSettings(ctx, client)
}

func (e *examination) redisSettings(ctx context.Context, client redis.UniversalClient) {
	values, err := client.ConfigGet(ctx, "maxmemory*").Result()
	if err != nil { // servers of providers forbid it
		e.weak("redis", "its settings cannot be read", "make sure of appendonly yes and maxmemory-policy noeviction")
		return
	}
	if policy := values["maxmemory-policy"]; policy != "noeviction" && values["maxmemory"] != "0" {
		e.fail("redis", "maxmemory-policy = "+policy+" removes tasks and counts when memory is short",
			"redis-cli CONFIG SET maxmemory-policy noeviction, then CONFIG REWRITE")
	}
	values, err = client.ConfigGet(ctx, "appendonly").Result()
	if err == nil && values["appendonly"] != "yes" {
		e.weak("redis", "appendonly = "+values["appendonly"]+": after a restart queues and counts are rebuilt, which takes minutes",
			"redis-cli CONFIG SET appendonly yes, then CONFIG REWRITE")
	}
}

// redisAddress looks at the way to the server.
func (e *examination) redisAddress(address string) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "unix" {
		return
	}
	password, _ := u.User.Password()
	if slices.Contains(guessed(), password) {
		e.weak("passwords", "the password of Redis is one that is guessed first", "set requirepass anew, then correct REDIS_URL"+e.in())
	}
	if egress.ThisMachine(u.Hostname()) {
		return
	}
	if password == "" {
		e.weak("redis", u.Hostname()+" wants no password: its network can read and change the queues",
			"set requirepass, then correct REDIS_URL"+e.in())
	}
	if u.Scheme != "rediss" {
		e.weak("redis", "the connection to "+u.Hostname()+" is not encrypted", "use rediss:// in REDIS_URL"+e.in())
	}
}

// infoField returns a line of the answer of INFO.
func infoField(info, name string) string {
	for line := range strings.Lines(info) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func firstNumber(version string) string {
	number, _, _ := strings.Cut(version, ".")
	return number
}
