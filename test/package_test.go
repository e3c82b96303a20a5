package test

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/target"
)

const (
	packageRoot    = "BANCA_PACKAGE_ROOT" // a fresh Debian, of scripts/package-check.sh
	packageAddr    = "127.0.0.1:8080"
	packageUnit    = "/usr/lib/systemd/system/banca.service"
	packagePerson  = "ana@banca.example"
	packageCashier = "luis@banca.example"
	packageSecret  = "correct horse battery"
	packageMost    = 60 * time.Second // from the package to a sold ticket
	packageSellers = 4
)

var setupCode = regexp.MustCompile(`setup: open (\S+)/setup and type the code (\S+)`)

// debian is a root directory with Debian in it.
type debian struct {
	*testing.T

	root string
	log  bytes.Buffer
	mu   sync.Mutex
	unit *exec.Cmd // banca, as the unit runs it
}

// Write keeps what banca prints.
func (d *debian) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.Write(p)
}

func (d *debian) printed() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.String()
}

func (d *debian) command(argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(d.Context(), "chroot", append([]string{d.root}, argv...)...)
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8"}
	return cmd
}

func (d *debian) run(argv ...string) string {
	d.Helper()
	out, err := d.command(argv...).CombinedOutput()
	require.NoError(d, err, "%v: %s", argv, out)
	return strings.TrimSpace(string(out))
}

// query asks the database as its owner.
func (d *debian) query(sql string) string {
	d.Helper()
	return d.run("runuser", "-u", "banca", "--", "psql", "-qAtc", sql, "banca")
}

// start runs what the unit runs, as its user.
func (d *debian) start() {
	d.Helper()
	text, err := os.ReadFile(filepath.Join(d.root, packageUnit))
	require.NoError(d, err)
	setting := func(name string) string {
		found := regexp.MustCompile(`(?m)^` + name + `=(.*)$`).FindSubmatch(text)
		require.NotNil(d, found, name)
		return string(found[1])
	}
	argv := append([]string{"runuser", "-u", setting("User"), "--", "env", setting("Environment"), "RATE_LIMIT_REQUESTS=1000000"}, strings.Fields(setting("ExecStart"))...)
	d.unit = d.command(argv...)
	d.unit.Stdout, d.unit.Stderr = d, d
	require.NoError(d, d.unit.Start())
	require.Eventually(d, func() bool { return d.api().get("/readyz", "").status == http.StatusOK }, time.Minute, 20*time.Millisecond, "%s", d.printed)
}

// restart is what systemctl restart does.
func (d *debian) restart() {
	d.Helper()
	require.NoError(d, exec.CommandContext(d.Context(), "pkill", "-TERM", "-x", "banca").Run())
	require.NoError(d, d.unit.Wait(), "%s", d.printed())
	d.start()
}

func (d *debian) api() *platform { return &platform{t: d.T, addr: packageAddr} }

// setUp is the way of the first owner through the page.
func (d *debian) setUp() {
	d.Helper()
	var found []string
	require.Eventually(d, func() bool { found = setupCode.FindStringSubmatch(d.printed()); return found != nil }, time.Minute, 20*time.Millisecond)
	tab := browser.Open(d)
	tab.Visit("http://" + packageAddr + "/")
	tab.Fill("#code", found[2])
	tab.PressTo(kb.Enter)
	for field, text := range map[string]string{
		"operator": "Banca Nueva", "rate_USD": "245,50", "percent": "15", "admin": "Ana Pérez", "email": packagePerson, "password": packageSecret,
	} {
		tab.Fill("#"+field, text)
	}
	tab.Follow("main form button[type=submit]")
	require.Contains(d, tab.Text(".who summary"), "Ana Pérez", "the setup ends logged in")
	tab.Visit("about:blank") // a page asks for news, also while the server is replaced
}

// cashier imports an agency with a ticket point, and returns the token of a new user there.
func (d *debian) cashier() string {
	d.Helper()
	p := d.api()
	admin := p.loginWith(packagePerson, packageSecret)
	file := "código,nombre,tipo,pertenece a,moneda,crédito\nA1,Agencia Uno,agencia,,,\nT1,Taquilla Uno,taquilla,A1,VES,\"100.000,00\"\n"
	r, err := http.NewRequestWithContext(d.Context(), http.MethodPost, "http://"+packageAddr+"/entities/import", strings.NewReader(file))
	require.NoError(d, err)
	r.Header.Set("Authorization", "Bearer "+admin)
	r.Header.Set("Content-Type", "text/csv")
	imported, err := http.DefaultClient.Do(r)
	require.NoError(d, err)
	require.NoError(d, imported.Body.Close())
	require.Equal(d, http.StatusOK, imported.StatusCode)
	point := d.query(`SELECT id FROM entities WHERE code = 'T1'`)
	a := p.post("/users", admin, map[string]any{
		"entity_id": point, "name": "Luis", "email": packageCashier, "role": "TAQUILLA", "auth_method": "password", "password": packageSecret,
	}, "")
	require.Equal(d, http.StatusCreated, a.status, "%s", a.raw)
	return p.loginWith(packageCashier, packageSecret)
}

// sell sells tickets until no more are wanted, and returns their ids by their keys.
func (d *debian) sell(seller int, token, draw string, more func() bool) map[string]string {
	f := &fleet{apis: []string{packageAddr}}
	return f.sellUntil(d.T, seller, token, draw, func(int) bool { return more() })
}

// TestPackagedMachine installs the package on a fresh Debian, sets it up in a browser, sells, upgrades while tickets are
// sold, and removes it. scripts/package-check.sh prepares the machine.
func TestPackagedMachine(t *testing.T) {
	target.Only(t, target.Packages)
	d := &debian{T: t, root: os.Getenv(packageRoot)}
	require.NotEmpty(t, d.root, "make package-check")
	d.run("pg_ctlcluster", d.run("sh", "-c", "ls /etc/postgresql"), "main", "start")
	d.run("runuser", "-u", "redis", "--", "redis-server", "--daemonize", "yes", "--dir", "/var/lib/redis", "--save", "")
	t.Cleanup(func() {
		if d.unit != nil {
			_ = exec.Command("pkill", "-KILL", "-x", "banca").Run()
		}
	})

	begin := time.Now()
	t.Log(d.run("dpkg", "--install", "/root/banca.deb"))
	d.start()
	t.Logf("ready after %v", time.Since(begin))
	d.setUp()
	token := d.cashier()
	draw := d.api().openDraw(token)
	first := d.sell(0, token, draw, once())
	sold := time.Since(begin)
	t.Logf("from the package to a sold ticket: %v", sold)
	require.Len(t, first, 1)
	assert.Less(t, sold, packageMost)
	assert.Equal(t, "600", d.run("stat", "-c", "%a", "/etc/banca/banca.env"))
	examined, _ := d.command("runuser", "-u", "banca", "--", "banca", "doctor").CombinedOutput()
	t.Logf("banca doctor:\n%s", examined)
	assert.NotContains(t, string(examined), "FAILED")

	tickets := d.upgrade(token, draw)
	maps.Copy(tickets, first)
	assert.Equal(t, fmt.Sprint(len(tickets)), d.query(`SELECT count(*) FROM tickets`), "no ticket is lost, none is doubled")
	begin = time.Now()
	d.restart()
	t.Logf("ready on an initialised database, with the end of the process before, after %v", time.Since(begin))

	require.NoError(t, exec.CommandContext(t.Context(), "pkill", "-TERM", "-x", "banca").Run())
	require.NoError(t, d.unit.Wait())
	d.unit = nil
	d.run("dpkg", "--remove", "banca")
	t.Log(d.run("dpkg", "--purge", "banca"))
	assert.Equal(t, fmt.Sprint(len(tickets)), d.query(`SELECT count(*) FROM tickets`), "the data stay")
	d.run("test", "-s", "/etc/banca/banca.env")
	d.run("test", "-d", "/var/lib/banca/objects")
}

// upgrade installs the next package while tickets are sold, restarts as the package does under systemd, and returns the
// tickets by their keys.
func (d *debian) upgrade(token, draw string) map[string]string {
	d.Helper()
	var replaced atomic.Bool
	var sellers sync.WaitGroup
	sold := make([]map[string]string, packageSellers)
	for i := range packageSellers {
		after := 0
		sellers.Go(func() {
			sold[i] = d.sell(1+i, token, draw, func() bool {
				if replaced.Load() {
					after++
				}
				return after <= rollingSales
			})
		})
	}
	d.run("dpkg", "--install", "/root/next.deb")
	d.restart()
	replaced.Store(true)
	sellers.Wait()
	require.Contains(d, d.run("dpkg-query", "-W", "-f", "${Version}", "banca"), "+next")
	all := map[string]string{}
	for _, tickets := range sold {
		maps.Copy(all, tickets)
	}
	require.Greater(d, len(all), packageSellers*rollingSales)
	return all
}

// once is true for the first call.
func once() func() bool {
	var asked bool
	return func() bool { defer func() { asked = true }(); return !asked }
}
