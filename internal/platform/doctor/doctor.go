// Package doctor examines a machine before banca starts on it: what a start needs, and what weakens it. Each finding
// says how it is mended. It prepares the buckets as a start does, and writes and removes an object in each; it changes
// nothing else.
package doctor

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/clock"
	"banca/internal/platform/config"
	"banca/storage"
)

// Level says what a finding means for a start.
type Level string

// Levels of findings.
const (
	OK   Level = "ok"
	Weak Level = "weak"   // banca starts, and something is at risk
	Fail Level = "FAILED" // banca does not start, or loses what it should keep
)

// Finding is the result of one check.
type Finding struct {
	Level Level
	Check string // what was looked at: postgres, disk
	Text  string // what was found; of a failure one line
	Mend  string // what to do; empty if the level is OK
}

// Options configures Examine.
type Options struct {
	Config  *config.Config
	File    string // of the settings; empty if they come from the environment alone
	Objects []storage.ObjectsOptions
	Clock   clock.Clock // of this machine
	// Users are accounts of the demonstration, and Password is the one that everybody knows.
	Users    []uuid.UUID
	Password string
	// Bank reads what the setup has stored of the bank's access: whether there is a token, and how many addresses.
	Bank func(ctx context.Context, q storage.RowQuerier) (token bool, addresses int, err error)
	// Unknown names the sources of results that games ask and that are none of the known ones.
	Unknown func(ctx context.Context, q storage.RowQuerier, known []string) ([]string, error)
}

// timeout bounds the check of one server.
const timeout = 10 * time.Second

// Examine makes all checks, each with a bound in time. A failed check does not end the others.
func Examine(ctx context.Context, o *Options) []Finding {
	e := &examination{Options: o}
	for _, check := range []func(context.Context){
		e.file, e.secrets, e.postgres, e.redis, e.objects, e.disk, e.ports, e.encryption,
	} {
		bounded, cancel := context.WithTimeout(ctx, timeout)
		check(bounded)
		cancel()
	}
	return e.findings
}

type examination struct {
	*Options

	findings []Finding
}

func (e *examination) ok(check, format string, args ...any) {
	e.findings = append(e.findings, Finding{Level: OK, Check: check, Text: oneLine(fmt.Sprintf(format, args...))})
}

func (e *examination) weak(check, text, mend string) {
	e.findings = append(e.findings, Finding{Level: Weak, Check: check, Text: oneLine(text), Mend: mend})
}

func (e *examination) fail(check, text, mend string) {
	e.findings = append(e.findings, Finding{Level: Fail, Check: check, Text: oneLine(text), Mend: mend})
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Failed reports whether a finding keeps banca from starting or from keeping what it stores.
func Failed(findings []Finding) bool {
	for i := range findings {
		if findings[i].Level == Fail {
			return true
		}
	}
	return false
}

// Write writes a line for each finding, and below it how it is mended.
func Write(w io.Writer, findings []Finding) error {
	for _, f := range findings {
		if _, err := fmt.Fprintf(w, "%-6s  %-10s  %s\n", f.Level, f.Check, f.Text); err != nil {
			return err
		}
		if f.Mend == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%20s-> %s\n", "", f.Mend); err != nil {
			return err
		}
	}
	return nil
}
