package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/businessday"
)

// The walk of docs/money.md, run as it stands: every answer has the fields that the document shows, and each result of the
// calculation by hand is one of them.
func TestTheWalkToTheCent(t *testing.T) {
	t.Parallel()
	section, commands := moneyWalk(t)
	p := newPlatformOfToday(t)
	p.start()

	run := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", strings.Replace(commands, "http://127.0.0.1:8080", "http://"+p.addr, 1))
	var out, problems bytes.Buffer
	run.Stdout, run.Stderr = &out, &problems
	running := time.AfterFunc(2*testkit.WaitTimeout, func() { _ = run.Process.Kill() })
	err := run.Run()
	running.Stop()
	require.NoError(t, err, "%s\n%s", &out, &problems)

	shown, answers := shownFields(commands), jsonDocuments(t, &out)
	require.Len(t, answers, len(shown), "each command has its answer in the document")
	for i, fields := range shown {
		rest := answers[i]
		for _, f := range fields {
			_, after, ok := strings.Cut(rest, f)
			require.True(t, ok, "%s is missing, or not at this place, in %s", f, answers[i])
			rest = after
		}
	}
	results := regexp.MustCompile(`\*\*(-?[0-9,]+\.\d\d)\*\*`).FindAllStringSubmatch(section, -1)
	require.NotEmpty(t, results)
	fields := strings.Join(slices.Concat(shown...), " ")
	for _, r := range results {
		assert.Contains(t, fields, `"`+strings.ReplaceAll(r[1], ",", "")+`"`, "a result of the calculation by hand is shown in an answer")
	}
	require.NoError(t, p.interrupt())
}

// moneyWalk returns the section of the walk, and its commands.
func moneyWalk(t *testing.T) (section, commands string) {
	t.Helper()
	raw, err := os.ReadFile("../docs/money.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(raw), "## A walk to the cent\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## ")
	_, block, ok := strings.Cut(section, "```sh\n")
	require.True(t, ok)
	commands, _, ok = strings.Cut(block, "```")
	require.True(t, ok)
	return section, commands
}

// shownFields returns the fields of each answer that the comments between commands show.
func shownFields(commands string) (list [][]string) {
	field := regexp.MustCompile(`"[a-z_]+":"[^"]*"`)
	last := false
	for line := range strings.Lines(commands) {
		comment := strings.HasPrefix(line, "# ")
		if comment {
			if !last {
				list = append(list, nil)
			}
			list[len(list)-1] = append(list[len(list)-1], field.FindAllString(line, -1)...)
		}
		last = comment
	}
	return list
}

// jsonDocuments splits what commands wrote into its answers.
func jsonDocuments(t *testing.T, out io.Reader) (list []string) {
	t.Helper()
	d := json.NewDecoder(out)
	for {
		var document json.RawMessage
		err := d.Decode(&document)
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err)
		list = append(list, string(document))
	}
}

// newPlatformOfToday returns a platform that was seeded on the business day on which the test ends.
func newPlatformOfToday(t *testing.T) *platform {
	t.Helper()
	zone, err := time.LoadLocation("America/Caracas")
	require.NoError(t, err)
	today := func() businessday.Day { return businessday.Of(time.Now(), zone) }
	_, midnight := today().Bounds(zone)
	if left := time.Until(midnight); left < 3*testkit.WaitTimeout {
		time.Sleep(left)
	}
	p := newPlatform(t)
	if businessday.Of(prepared.at, zone) != today() {
		return newEmptyPlatform(t)
	}
	return p
}
