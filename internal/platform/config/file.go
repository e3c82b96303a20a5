package config

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/caarlos0/env/v11"
	"github.com/google/uuid"
)

// MachineFile is where one machine keeps its settings unless CONFIG_FILE names another file.
const MachineFile = "/etc/banca/banca.env"

// FileOr returns the file that CONFIG_FILE names, or fallback.
func FileOr(fallback string) string { return cmp.Or(env.ToMap(environ())["CONFIG_FILE"], fallback) }

// LoadFile is Load with a file of settings, one NAME=value a line as in .env.example. The environment wins.
func LoadFile(path string) (Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("config: %w", err)
	}
	settings, err := parseFile(text)
	if err != nil {
		return Config{}, fmt.Errorf("config: %s: %w", path, err)
	}
	maps.Copy(settings, env.ToMap(environ()))
	return parse(settings)
}

// parseFile reads lines of NAME=value as systemd does: a value ends with its line, quotes around it are no part of it,
// and nothing in it is replaced. An error names lines and never a value.
func parseFile(text []byte) (map[string]string, error) {
	known := map[string]bool{}
	for _, v := range variables(reflect.TypeFor[Config](), "") {
		known[v.name] = true
	}
	settings, lines := map[string]string{}, map[string]int{}
	var wrong []error
	number := 0
	for line := range bytes.Lines(text) {
		number++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' || line[0] == ';' {
			continue
		}
		name, value, ok := strings.Cut(string(line), "=")
		switch name = strings.TrimSpace(name); {
		case !ok:
			wrong = append(wrong, fmt.Errorf("line %d: write NAME=value", number))
		case !known[name]:
			wrong = append(wrong, fmt.Errorf("line %d: .env.example has no setting of this name: correct or delete it", number))
		case lines[name] > 0:
			wrong = append(wrong, fmt.Errorf("line %d: line %d sets it already: delete one of them", number, lines[name]))
		default:
			lines[name] = number
			settings[name] = unquote(strings.TrimSpace(value))
		}
	}
	return settings, errors.Join(wrong...)
}

func unquote(value string) string {
	for _, quote := range []string{`"`, `'`} {
		if inner, ok := strings.CutPrefix(value, quote); ok && strings.HasSuffix(inner, quote) {
			return strings.TrimSuffix(inner, quote)
		}
	}
	return value
}

// secretBytes is the length of generated secrets.
const secretBytes = 32

// WriteFile writes a first file of settings for one machine, readable by its owner alone, and returns the names that it
// sets. Its secrets are fresh. A file that is there stays as it is, and the result is empty.
func WriteFile(path, data string) (names []string, err error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("config: name of this machine: %w", err)
	}
	var text strings.Builder
	text.WriteString("# Settings of banca on this machine. .env.example lists them all with their meanings.\n")
	for _, s := range []struct{ comment, name, value string }{
		{"Where Postgres is: the database banca of this machine, by its socket", "DATABASE_URL", "postgres:///banca?host=/run/postgresql"},
		{"", "REDIS_URL", "redis://127.0.0.1:6379/0"},
		{"Where the program listens", "HTTP_ADDR", ":8080"},
		{"The address that points of sale, operators and the bank open; write a domain or an IP address where they do not know this name", "PUBLIC_URL", "http://" + host + ":8080"},
		{"Receipts, logos and documents", "OBJECTS_DIR", filepath.Join(data, "objects")},
		{"Secrets, made for this machine", "JWT_SECRET", NewSecret()},
		{"", "SECRET_KEYS", "first:" + NewSecret()},
		{"The token that the bank sends", "BANK_WEBHOOK_AUTH_TOKEN", uuid.NewString()},
	} {
		if s.comment != "" {
			text.WriteString("# " + s.comment + "\n")
		}
		text.WriteString(s.name + "=" + s.value + "\n")
		names = append(names, s.name)
	}
	if err := writeNew(path, text.String()); errors.Is(err, fs.ErrExist) {
		return nil, nil
	} else if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("config: %w: start it as a user who may write there, or name another file with --config", err)
	} else if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	return names, nil
}

// writeNew writes a file that is not there yet, whole or not at all. Errors: fs.ErrExist.
func writeNew(path, text string) (err error) {
	if _, err := os.Stat(path); err == nil {
		return fs.ErrExist
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".banca-*") // of mode 600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), path) // of two processes one wins
}

// NewSecret returns 32 random bytes in base64.
func NewSecret() string {
	secret := make([]byte, secretBytes)
	_, _ = rand.Read(secret) // never fails
	return base64.StdEncoding.EncodeToString(secret)
}
