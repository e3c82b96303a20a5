// Package deploy_test checks the files that monitors read: alerts, their tests and the dashboard.
package deploy_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/target"
)

var (
	declared = regexp.MustCompile(`"(banca_[a-z_]+)"`)
	used     = regexp.MustCompile(`\bbanca_[a-z_]+`)
)

// metrics are the names that the code declares.
func metrics(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, pattern := range []string{"../internal/platform/telemetry/*.go", "../internal/app/*.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, match := range declared.FindAllStringSubmatch(read(t, file), -1) {
				names[match[1]] = true
			}
		}
	}
	require.Greater(t, len(names), 30)
	return names
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// usedIn returns the metrics that a file names, without the endings of histograms.
func usedIn(t *testing.T, file string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, name := range used.FindAllString(read(t, file), -1) {
		for _, ending := range []string{"_bucket", "_sum", "_count"} {
			name = strings.TrimSuffix(name, ending)
		}
		names[name] = true
	}
	return names
}

// An alert, or a panel of the dashboard, on a metric that no process has would be silent for ever.
func TestMetricsExist(t *testing.T) {
	t.Parallel()
	has := metrics(t)
	for _, file := range []string{"prometheus/alerts.yml", "prometheus/alerts_test.yml", "prometheus/alerts_days_test.yml", "grafana/banca.json"} {
		names := usedIn(t, file)
		require.NotEmpty(t, names, file)
		for name := range names {
			require.True(t, has[name], "%s names %s, which no process has", file, name)
		}
	}
}

// The dashboard shows every metric, by its name or by a pattern of names.
func TestTheDashboardIsComplete(t *testing.T) {
	t.Parallel()
	shown := usedIn(t, "grafana/banca.json")
	_, pattern, found := strings.Cut(read(t, "grafana/banca.json"), `__name__=~\"`)
	require.True(t, found)
	pattern, _, _ = strings.Cut(pattern, `\"`)
	counters := regexp.MustCompile("^" + pattern + "$")
	require.True(t, counters.MatchString("banca_sales_total"))
	for name := range metrics(t) {
		require.True(t, shown[name] || counters.MatchString(name), "%s is shown nowhere: add it to a panel of deploy/grafana/banca.json", name)
	}
	var dashboard struct {
		Panels []struct {
			ID      int
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, "grafana/banca.json")), &dashboard))
	ids := map[int]bool{}
	for _, panel := range dashboard.Panels {
		require.False(t, ids[panel.ID], "panel %d is there twice", panel.ID)
		ids[panel.ID] = true
	}
}

// Every alert leads to a section of the runbook, and the severities are those that are routed.
func TestAlertsLeadToTheRunbook(t *testing.T) {
	t.Parallel()
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert       string
				Labels      map[string]string
				Annotations map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "prometheus/alerts.yml")), &file))
	runbook := read(t, "../docs/runbook.md")
	rules := 0
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			rules++
			path, section, found := strings.Cut(rule.Annotations["runbook"], "#")
			require.True(t, found && path == "docs/runbook.md", rule.Alert)
			require.Contains(t, strings.ToLower(runbook), "\n## "+section+"\n", rule.Alert)
			require.Contains(t, runbook, "`"+rule.Alert+"`", "the runbook names the alert")
			require.NotEmpty(t, rule.Annotations["summary"], rule.Alert)
			require.True(t, slices.Contains([]string{"page", "ticket"}, rule.Labels["severity"]), rule.Alert)
		}
	}
	require.Greater(t, rules, 20)
}

// promtool reads the configuration and the rules, and their unit tests hold.
func TestDeliveredAlerts(t *testing.T) {
	target.Only(t, target.Delivery)
	t.Parallel()
	program, err := exec.LookPath("promtool")
	require.NoError(t, err)
	for _, args := range [][]string{
		{"check", "config", "prometheus/prometheus.yml"}, {"check", "rules", "prometheus/alerts.yml"},
		{"test", "rules", "prometheus/alerts_test.yml", "prometheus/alerts_days_test.yml"},
	} {
		out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}
