package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// elsewhere are the commands of README.md and of "Installing" in docs/operations.md that neither
// [TestTheWalkOfTheReadme] nor [TestTheInstallation] runs, with the test or the script that runs each, and what it has
// of it.
func elsewhere() map[string][2]string {
	const machine = "test/package_test.go" // make package-check
	return map[string][2]string{
		"make run":                             {"test/main_test.go", "dev.Run("}, // what [platform] starts; made below
		"make demo":                            {"internal/dev/demo/reset_test.go", "func TestAReset("},
		"make test":                            {".ci/run", "step make test"},
		"make delivery":                        {".ci/run", "step make delivery"},
		"make help":                            {},
		"make release":                         {"scripts/package-check.sh", "run make release"},
		"make robot":                           {"test/pos_robot_test.go", "func TestPointOfSaleRobot("},
		"make chaos":                           {"test/chaos_test.go", "InChaos("},
		"apt install ./dist/banca_*_amd64.deb": {machine, `"dpkg", "--install", "/root/banca.deb"`},
		"journalctl -u banca":                  {machine, "setupCode.FindStringSubmatch(d.printed())"},
		"docker compose up --build --wait":     {"deploy/stack_test.go", "func TestDeliveredComposeOfOneMachine("},
		"docker load":                          {"scripts/images.sh", "docker"},
		"banca buckets":                        {"storage/objects_user_test.go", "versitygw"},
		"banca-dev dev":                        {"test/main_test.go", "dev.Run("},
		"systemd-tmpfiles --create":            {"deploy/stack_test.go", "tmpfiles"},
		"systemctl enable --now banca.target banca-backup-wal banca-backup.timer": {"deploy/stack_test.go", "func TestUnits("},
	}
}

var (
	shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	anyBlock   = regexp.MustCompile("(?s)```.*?```")
	inlineCode = regexp.MustCompile("`([^`]+)`")
	programs   = regexp.MustCompile(`^(?:[A-Z_]+=\S+ )*(?:make|apt|docker|banca|banca-dev|systemctl|systemd-tmpfiles|journalctl|mkdir|cp|install|curl) `)
	remark     = regexp.MustCompile(`\s{2,}#.*$`)
	targetName = regexp.MustCompile(`^make ([a-z-]+)`)
)

// installing is the section of operations.md about it.
func installing(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../docs/operations.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(raw), "\n## Installing\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

// commandsOf returns the commands of a text: the lines of its shell blocks but for the walk, and code in its sentences
// that begins with a program.
func commandsOf(text string) []string {
	var all []string
	add := func(command string) {
		if command = strings.TrimSpace(remark.ReplaceAllString(strings.TrimSpace(command), "")); command != "" && !slices.Contains(all, command) {
			all = append(all, command)
		}
	}
	for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
		if isWalk(block[1]) {
			continue
		}
		for line := range strings.Lines(block[1]) {
			add(line)
		}
	}
	for _, code := range inlineCode.FindAllStringSubmatch(anyBlock.ReplaceAllString(text, ""), -1) {
		if command := strings.Join(strings.Fields(code[1]), " "); programs.MatchString(command+" ") && strings.Contains(command, " ") {
			add(command)
		}
	}
	return all
}

// isWalk reports whether a block is a part of the walk, which runs as a whole.
func isWalk(block string) bool { return strings.Contains(block, "curl ") }

// Every command that README.md and the installation tell a person to type is run by a test: here, or where the table
// above says.
func TestEveryCommandOfTheInstallationIsRun(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	typed := append(commandsOf(string(readme)), commandsOf(installing(t))...)
	require.Greater(t, len(typed), 20)
	table := elsewhere()
	for _, command := range typed {
		file, known := table[command]
		if !known {
			_, known = installs()[command]
		}
		assert.True(t, known, "%q is new: run it in TestTheInstallation, or name in elsewhere the test that runs it", command)
		if target := targetName.FindStringSubmatch(command); target != nil {
			out, err := exec.CommandContext(t.Context(), "make", "--no-print-directory", "-C", "..", "-n", target[1]).CombinedOutput()
			assert.NoError(t, err, "%s: %s", command, out)
			if command == "make run" {
				assert.Contains(t, string(out), "./.bin/banca-dev dev")
			}
		}
		if file[0] != "" {
			text, err := os.ReadFile(filepath.Join("..", file[0]))
			require.NoError(t, err)
			assert.Contains(t, string(text), file[1], "%s: what runs it", command)
		}
	}
	for _, command := range append(keysOf(table), keysOf(installs())...) {
		assert.Contains(t, typed, command, "no document has it any more")
	}
	out, err := exec.CommandContext(t.Context(), "make", "--no-print-directory", "-C", "..", "help").Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "Build and run everything on this machine")
	for _, unit := range []string{"banca.target", "banca-backup-wal.service", "banca-backup.timer"} {
		assert.FileExists(t, "../deploy/systemd/"+unit)
	}
	assert.FileExists(t, "../deploy/tmpfiles.d/banca.conf")
}

func keysOf[V any](m map[string]V) []string {
	all := make([]string, 0, len(m))
	for key := range m {
		all = append(all, key)
	}
	return all
}

// walkOf returns the blocks of README.md that call the platform, with the addresses of one and the bank's token.
func walkOf(t *testing.T, p *platform, bank string) string {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	script := "curl() { command curl --fail-with-body \"$@\"; }\n"
	blocks := 0
	for _, block := range shellBlock.FindAllStringSubmatch(string(readme), -1) {
		if isWalk(block[1]) {
			script += block[1]
			blocks++
		}
	}
	require.Equal(t, 2, blocks)
	for _, change := range [][2]string{
		{"http://127.0.0.1:8080", "http://" + p.addr}, {"http://127.0.0.1:9080", "http://" + p.gateway}, {"BANK=...", "BANK=" + bank},
	} {
		require.Contains(t, script, change[0])
		script = strings.ReplaceAll(script, change[0], change[1])
	}
	return script
}

// shortly reports whether a walk failed because its draw, the first one that is open, closed meanwhile.
func shortly(out []byte) bool { return regexp.MustCompile(`DRAW_CLOSED|CANCEL_TOO_LATE`).Match(out) }

// The walk of README.md runs as it stands against a platform that starts as README.md says: from the login to the
// receipt, the message, the cancellation and the payment by the bank.
func TestTheWalkOfTheReadme(t *testing.T) {
	t.Parallel()
	var printed printedText
	p := newPlatformOfToday(t)
	p.out = &printed
	p.start()
	token := regexp.MustCompile(`bank token\s+(\S+)`)
	require.Eventually(t, func() bool { return token.MatchString(printed.String()) }, waitForOutput, pollOutput)
	script, dir := walkOf(t, p, token.FindStringSubmatch(printed.String())[1]), ""
	var out []byte
	var err error
	for range 2 {
		dir = t.TempDir()
		run := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script)
		run.Dir = dir
		if out, err = run.CombinedOutput(); err == nil || !shortly(out) {
			break
		}
	}
	require.NoError(t, err, "%s", out)
	picture, err := os.ReadFile(filepath.Join(dir, "receipt.png"))
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(picture), "\x89PNG"))
	slip, err := os.ReadFile(filepath.Join(dir, "receipt.bin"))
	require.NoError(t, err)
	assert.Contains(t, string(slip), "\x1b", "commands of a printer")
	for _, shown := range []string{`"total":"35.50"`, "584141234567", `"status":"cancelled"`, `{"status":true}`, `{"abono":true}`, `"balance":"150.00"`} {
		assert.Contains(t, string(out), shown)
	}
	require.NoError(t, p.interrupt())
}

// machine is where [TestTheInstallation] installs.
type machine struct {
	*testing.T

	dir     string
	env     []string
	objects []string // settings of an object store in place of the folder
}

// installs are the commands of the installation that run here, in their order, each with what is asserted of it.
func installs() map[string]func(*machine, string) {
	role := func(variable string) func(*machine, string) {
		return func(m *machine, command string) { m.process(command, variable) }
	}
	return map[string]func(*machine, string){
		"banca migrate":    func(m *machine, command string) { m.run(command) },
		"banca setup-code": func(m *machine, command string) { assert.Regexp(m, `[A-Z0-9]{4}-[A-Z0-9]{4}`, m.run(command)) },
		"banca init --operator \"Name\" --email you@example.com --games": func(m *machine, command string) {
			assert.Regexp(m, `administrator you@example\.com can log in\npassword, shown this once: \S{12}`, m.run(command))
		},
		"banca init":      nil, // the same, without its flags
		"banca api":       role("HTTP_ADDR"),
		"banca worker":    role("OPS_ADDR"),
		"banca scheduler": role("OPS_ADDR"),
		"banca serve":     role("HTTP_ADDR"),
		"banca doctor":    (*machine).examine,
		"CONFIG_FILE=<it> banca objects copy --from /var/lib/banca/objects": func(m *machine, command string) {
			file := filepath.Join(m.dir, "second.env")
			require.NoError(m, os.WriteFile(file, []byte(strings.Join(m.objects, "\n")+"\n"), 0o600))
			m.env = slices.DeleteFunc(m.env, func(setting string) bool { return strings.HasPrefix(setting, "OBJECTS_DIR=") })
			m.run(strings.NewReplacer("<it>", file, "/var/lib/banca/objects", filepath.Join(m.dir, "objects")).Replace(command))
		},
	}
}

// order is the order in which the commands are run: the code of the setup exists before the operator does.
func order() []string {
	return []string{
		"banca migrate", "banca setup-code", "banca init --operator \"Name\" --email you@example.com --games", "banca api", "banca worker", "banca scheduler",
		"banca serve", "banca doctor", "CONFIG_FILE=<it> banca objects copy --from /var/lib/banca/objects",
	}
}

// The commands of the installation run in the order in which a person needs them, on an empty database, as they stand
// in the document.
func TestTheInstallation(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	typed, run := commandsOf(installing(t)), installs()
	for _, command := range order() {
		require.Contains(t, typed, command)
		run[command](m, command)
	}
	assert.Len(t, order(), len(run)-1, "each command but the short form of init")
	settings, err := os.ReadFile(filepath.Join(m.dir, "banca.env"))
	require.NoError(t, err)
	assert.Contains(t, string(settings), "JWT_SECRET=", fmt.Sprint("banca serve writes ", m.dir))
}
