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

// compose reads docker-compose.yml as docker compose does, with the given variables.
func compose(t *testing.T, variables ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), tool(t, "../.bin/compose-spec"), "-format", "json", "docker-compose.yml")
	cmd.Dir, cmd.Env = "..", []string{"PATH=" + os.Getenv("PATH")}
	for _, name := range variables {
		cmd.Env = append(cmd.Env, name+"=given-"+strings.ToLower(name))
	}
	return cmd.Output()
}

// The compose file is valid, each long-running service is watched, bounded and restarted, only the proxy listens on all addresses, and
// nothing starts without its secrets.
func TestDeliveredCompose(t *testing.T) {
	t.Parallel()
	out, err := compose(t, composeSecrets()...)
	require.NoError(t, err)
	var file struct {
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
	require.NoError(t, json.Unmarshal(out, &file))
	for _, name := range []string{"api", "worker", "scheduler", "migrate", "postgres", "pgbouncer", "redis", "s3", "proxy", "prometheus", "grafana", "backup", "backup-daily", "node", "alertmanager"} {
		require.Contains(t, file.Services, name)
	}
	require.Contains(t, file.Services["redis"].Command, "--maxmemory", "the kernel must not end Redis at the limit of its container")
	once := []string{"migrate", "buckets", "s3-user", "backup-directory"} // end
	for name, service := range file.Services {
		require.Len(t, service.Deploy.Resources.Limits, 3, "%s: limits", name)
		if !slices.Contains(once, name) {
			require.NotNil(t, service.HealthCheck, name)
			require.False(t, service.HealthCheck.Disable, name)
			require.Equal(t, "unless-stopped", service.Restart, name)
		}
		for _, port := range service.Ports {
			require.Equal(t, name == "proxy", port.HostIP == "0.0.0.0", name)
		}
		for _, volume := range service.Volumes {
			if volume.Type == "bind" {
				require.True(t, filepath.IsAbs(volume.Source))
				_, err := os.Stat(volume.Source)
				require.NoError(t, err, name)
			}
		}
	}
	for _, name := range []string{"postgres", "pgbouncer", "redis"} {
		require.NotContains(t, file.Services[name].Networks, "front", name)
	}
	for _, missing := range composeSecrets() {
		given := slices.DeleteFunc(composeSecrets(), func(name string) bool { return name == missing })
		_, err := compose(t, given...)
		require.Error(t, err, "starts without %s", missing)
	}
}

// Every variable that the compose file gives to banca is a setting.
func TestComposeNamesSettings(t *testing.T) {
	t.Parallel()
	var file struct {
		Banca struct{ Environment map[string]any } `yaml:"x-banca"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "../docker-compose.yml")), &file))
	settings := read(t, "../.env.example")
	require.NotEmpty(t, file.Banca.Environment)
	for name := range file.Banca.Environment {
		require.Contains(t, settings, "\n"+name+"=", "docker-compose.yml")
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
			require.Contains(t, read(t, "tmpfiles.d/banca.conf"), "d "+path[1]+" ", "systemd does not start a unit whose directory is missing")
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
