// Package testbed prepares what development, measurements and trials run the platform on: a scratch directory,
// settings for this process and the environment of others on the same servers, a seeded database with ticket points of
// the run's own, and the start of processes.
package testbed

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"

	"banca/internal/app"
	"banca/internal/dev/embedded"
	"banca/internal/platform/config"
)

// Settings of every testbed. Its servers are reached from this machine only.
const (
	Key        = "key-of-a-scratch-testbed-only-0123456789abcdef"
	BankToken  = "4a1cb8a0-52a4-4f5b-9a53-6f0f3f7f2b12"                 //nolint:gosec // see above
	SecretKeys = "testbed:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=" //nolint:gosec // see above
	BcryptCost = 4                                                      // the least
)

// Servers are the addresses of the servers of a testbed.
type Servers struct {
	Postgres, Redis               string
	Objects, AccessKey, SecretKey string
}

// Of returns the servers of an embedded stack; "" for a server that it does not run.
func Of(s *embedded.Stack) Servers {
	return Servers{Postgres: s.PostgresURL, Redis: s.RedisURL, Objects: s.S3Endpoint, AccessKey: s.S3AccessKey, SecretKey: s.S3SecretKey}
}

// Use sets the addresses in a configuration. A server without an address keeps the configured one.
func (s Servers) Use(cfg *config.Config) {
	if s.Postgres != "" {
		cfg.Postgres.DatabaseURL = config.Secret(s.Postgres)
	}
	if s.Redis != "" {
		cfg.Redis.RedisURL = config.Secret(s.Redis)
	}
	if s.Objects != "" {
		cfg.Objects.Endpoint = s.Objects
		cfg.Objects.AccessKey, cfg.Objects.SecretKey = config.Secret(s.AccessKey), config.Secret(s.SecretKey)
	}
}

// Settings returns the configuration by which this process uses the testbed.
func (s Servers) Settings() (*config.Config, error) {
	cfg, err := config.Load()
	if err != nil {
		return nil, err
	}
	s.Use(&cfg)
	cfg.Auth.JWTSecret, cfg.Auth.BcryptCost, cfg.Secrets.Keys, cfg.Messaging.Driver = Key, BcryptCost, SecretKeys, config.DriverLog
	return &cfg, nil
}

// Environment configures a process that listens on addr. The last value of a variable counts.
func (s Servers) Environment(addr, dataDir string) []string {
	return []string{
		"HTTP_ADDR=" + addr, "PUBLIC_URL=http://" + addr, "DATA_DIR=" + dataDir, "DATABASE_URL=" + s.Postgres, "REDIS_URL=" + s.Redis,
		"S3_ENDPOINT=" + s.Objects, "S3_ACCESS_KEY=" + s.AccessKey, "S3_SECRET_KEY=" + s.SecretKey,
		"JWT_SECRET=" + Key, "SECRET_KEYS=" + SecretKeys, "ACCESS_TOKEN_TTL=12h", "BCRYPT_COST=" + strconv.Itoa(BcryptCost),
		"RATE_LIMIT_REQUESTS=1000000", "RATE_LIMIT_PANEL_REQUESTS=1000000", "LOG_LEVEL=warn", "MESSAGING_DRIVER=" + config.DriverLog,
		"BANK_WEBHOOK_AUTH_TOKEN=" + BankToken, "BANK_ALLOWED_IPS=127.0.0.1", "BANK_REQUIRE_TLS=false", "BANK_CALL_LIMIT=100000000",
	}
}

// Scratch makes an empty directory below base. The account of Postgres reaches its directory below it.
func Scratch(base, prefix string) (string, error) {
	base, err := filepath.Abs(base)
	if err != nil {
		return "", err
	}
	if err := Passable(base); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(base, prefix)
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o711) //nolint:gosec // see above
}

// Passable makes a directory through which the account of Postgres passes.
func Passable(dir string) error { return os.MkdirAll(dir, 0o711) }

// Prepare migrates and seeds the database.
func Prepare(ctx context.Context, cfg *config.Config, log *slog.Logger) error {
	if err := app.Migrate(ctx, cfg, log); err != nil {
		return err
	}
	a, err := app.Open(ctx, cfg, config.Mode(app.RoleWorker), log)
	if err != nil {
		return err
	}
	return errors.Join(a.Seed(ctx), a.Close())
}
