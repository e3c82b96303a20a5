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

	"banca"
	"banca/internal/dev/testkit/target"
)

// tool returns the path of a program of .bin or of the system, which scripts/ensure-tools.sh delivery installs.
func tool(t *testing.T, names ...string) string {
	t.Helper()
	target.Only(t, target.Delivery)
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			path, err = filepath.Abs(path)
			require.NoError(t, err)
			return path
		}
	}
	require.Fail(t, "no "+names[0])
	return ""
}

// composeSecrets must be given; everything else has a default.
func composeSecrets() []string {
	return []string{
		"JWT_SECRET", "REDIS_PASSWORD", "POSTGRES_PASSWORD", "POSTGRES_OWNER_PASSWORD", "POSTGRES_ADMIN_PASSWORD", "POSTGRES_BACKUP_PASSWORD",
		"S3_SECRET_KEY", "S3_ROOT_SECRET_KEY", "GRAFANA_PASSWORD", "SITE_ADDRESS", "S3_SITE_ADDRESS",
	}
}

// compose reads docker-compose.yml of a directory as docker compose does, with the given variables.
func compose(t *testing.T, dir string, variables ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), tool(t, "../.bin/compose-spec"), "-format", "json", "docker-compose.yml")
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH")}
	for _, name := range variables {
		cmd.Env = append(cmd.Env, name+"=given-"+strings.ToLower(name))
	}
	return cmd.Output()
}

// composeFile is what the tests read of a compose file.
type composeFile struct {
	Services map[string]struct {
		Restart     string
		HealthCheck *struct{ Disable bool }
		Deploy      struct {
			Resources struct{ Limits map[string]any }
		}
		Ports []struct {
			HostIP string `json:"host_ip"`
		}
		Networks    map[string]any
		Environment map[string]string
		Command     []string
		Volumes     []struct{ Type, Source string }
	}
}

// bounded asserts that each service has limits, that those that stay are watched and restarted, and that mounted files exist.
func (f *composeFile) bounded(t *testing.T, once ...string) {
	t.Helper()
	for name, service := range f.Services {
		require.Len(t, service.Deploy.Resources.Limits, 3, "%s: limits", name)
		if !slices.Contains(once, name) {
			require.NotNil(t, service.HealthCheck, name)
			require.False(t, service.HealthCheck.Disable, name)
			require.Equal(t, "unless-stopped", service.Restart, name)
		}
		for _, volume := range service.Volumes {
			if volume.Type == "bind" {
				require.True(t, filepath.IsAbs(volume.Source))
				_, err := os.Stat(volume.Source)
				require.NoError(t, err, name)
			}
		}
	}
}

// One machine starts without a setting, only banca is published, its stores have no way out, and no secret is in the file.
func TestDeliveredComposeOfOneMachine(t *testing.T) {
	t.Parallel()
	out, err := compose(t, "..")
	require.NoError(t, err)
	var file composeFile
	require.NoError(t, json.Unmarshal(out, &file))
	file.bounded(t, "init")
	require.Len(t, file.Services, 4)
	settings := read(t, "../.env.example")
	for name := range file.Services["banca"].Environment {
		require.True(t, name == "PGPASSFILE" || strings.Contains(settings, "\n"+name+"="), name)
	}
	for name, service := range file.Services {
		require.Equal(t, name == "banca", len(service.Ports) > 0, name)
		require.NotContains(t, strings.ToLower(strings.Join(service.Command, " ")), "password", name)
		if name != "banca" {
			require.NotContains(t, service.Networks, "front", name)
		}
	}
}

// The compose file of a large installation is valid, each long-running service is watched, bounded and restarted, only the proxy listens on all addresses, and
// nothing starts without its secrets.
func TestDeliveredCompose(t *testing.T) {
	t.Parallel()
	out, err := compose(t, "compose", composeSecrets()...)
	require.NoError(t, err)
	var file composeFile
	require.NoError(t, json.Unmarshal(out, &file))
	for _, name := range []string{"api", "worker", "scheduler", "migrate", "postgres", "pgbouncer", "redis", "s3", "proxy", "prometheus", "grafana", "backup", "backup-daily", "node", "alertmanager"} {
		require.Contains(t, file.Services, name)
	}
	require.Contains(t, file.Services["redis"].Command, "--maxmemory", "the kernel must not end Redis at the limit of its container")
	file.bounded(t, "migrate", "buckets", "s3-user", "backup-directory")
	for name, service := range file.Services {
		for _, port := range service.Ports {
			require.Equal(t, name == "proxy", port.HostIP == "0.0.0.0", name)
		}
	}
	for _, name := range []string{"postgres", "pgbouncer", "redis"} {
		require.NotContains(t, file.Services[name].Networks, "front", name)
	}
	for _, missing := range composeSecrets() {
		given := slices.DeleteFunc(composeSecrets(), func(name string) bool { return name == missing })
		_, err := compose(t, "compose", given...)
		require.Error(t, err, "starts without %s", missing)
	}
}

// Every variable that the compose file gives to banca is a setting.
func TestComposeNamesSettings(t *testing.T) {
	t.Parallel()
	var file struct {
		Banca struct{ Environment map[string]any } `yaml:"x-banca"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "compose/docker-compose.yml")), &file))
	settings := read(t, "../.env.example")
	require.NotEmpty(t, file.Banca.Environment)
	for name := range file.Banca.Environment {
		require.Contains(t, settings, "\n"+name+"=", "compose/docker-compose.yml")
	}
	var config struct{ Data map[string]string }
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "kubernetes/config.yaml")), &config))
	require.NotEmpty(t, config.Data)
	for name := range config.Data {
		require.Contains(t, settings, "\n"+name+"=", "kubernetes/config.yaml")
	}
}

// The manifests fit the schemas of Kubernetes 1.30, all of them are applied, and they run this version.
func TestDeliveredManifests(t *testing.T) {
	t.Parallel()
	var kustomization struct {
		Resources []string
		Images    []struct {
			NewTag string `yaml:"newTag"`
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "kubernetes/kustomization.yaml")), &kustomization))
	files, err := filepath.Glob("kubernetes/*.yaml")
	require.NoError(t, err)
	manifests := []string{}
	for _, file := range files {
		if filepath.Base(file) != "kustomization.yaml" {
			manifests = append(manifests, file)
			require.Contains(t, kustomization.Resources, filepath.Base(file))
		}
	}
	require.Len(t, kustomization.Resources, len(manifests))
	version := banca.Version("")
	require.Equal(t, version, kustomization.Images[0].NewTag, "the image of kustomization.yaml")
	require.Contains(t, read(t, "kubernetes/migrate.yaml"), "name: migrate-"+strings.ReplaceAll(version, ".", "-")+"\n")

	for _, scaled := range regexp.MustCompile(`kind: Deployment, name: (\w+)`).FindAllStringSubmatch(read(t, "kubernetes/scaling.yaml"), -1) {
		require.NotContains(t, read(t, "kubernetes/"+scaled[1]+".yaml"), "\n  replicas:", "an apply takes back what the autoscaler decided")
	}

	args := append([]string{"-strict", "-summary", "-schema-location", "kubernetes/schemas/{{.ResourceKind}}.json"}, manifests...)
	out, err := exec.CommandContext(t.Context(), tool(t, "../.bin/kubeconform"), args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "Skipped: 0")
	if kubectl, err := exec.LookPath("kubectl"); err == nil {
		out, err := exec.CommandContext(t.Context(), kubectl, "kustomize", "kubernetes").CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.NotContains(t, string(out), "image: banca\n")
	}
}

var program = regexp.MustCompile(`(?m)^(ExecStart=)\S+`)

// systemd reads the units, and says that little is exposed.
func TestUnits(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze")
	}
	dir := t.TempDir()
	files, err := filepath.Glob("systemd/*")
	require.NoError(t, err)
	require.Greater(t, len(files), 6)
	units := []string{}
	for _, file := range files {
		text := program.ReplaceAllString(read(t, file), "${1}/bin/true") // the programs are not installed here
		for _, path := range regexp.MustCompile(`ReadWritePaths=-?(\S+)`).FindAllStringSubmatch(text, -1) {
			made := strings.Contains(read(t, "tmpfiles.d/banca.conf"), "d "+path[1]+" ") || strings.Contains(read(t, "debian/postinst"), path[1]+" ")
			require.True(t, made, "systemd does not start a unit whose directory %s is missing", path[1])
		}
		require.NotContains(t, text, "Requires=banca-migrate", "a restart of the migrations restarts all processes, and their failure ends them for good")
		name := strings.Replace(filepath.Base(file), "@.", "@8081.", 1)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		units = append(units, filepath.Join(dir, name))
	}
	cmd := exec.CommandContext(t.Context(), analyze, append([]string{"verify", "--man=no", "--recursive-errors=no"}, units...)...)
	cmd.Env = append(os.Environ(), "SYSTEMD_UNIT_PATH="+dir+":") //nolint:forbidigo // the environment of another program
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, string(out))
}

// The images are those of deploy/images.txt, which says when their published weaknesses were looked at.
func TestImages(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "../scripts/images.sh")
	cmd.Env = append(os.Environ(), "IMAGE_MAX_AGE=36500") //nolint:forbidigo // only make release-check asks how old a date is
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
