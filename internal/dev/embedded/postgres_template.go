package embedded

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// TemplateKey identifies everything that the content of a new cluster depends on: the server's binary and the
// arguments of initdb. A cluster with the same key can be used as [PostgresOptions.Template].
func TemplateKey() (string, error) {
	bin, err := findPostgres("")
	if err != nil {
		return "", fmt.Errorf("embedded postgres: %w", err)
	}
	server := filepath.Join(bin, "postgres")
	info, err := os.Stat(server)
	if err != nil {
		return "", fmt.Errorf("embedded postgres: %w", err)
	}
	arguments := append(clusterSettings(), clusterLocales()...)
	return fmt.Sprintf("%s %d %d %s", server, info.Size(), info.ModTime().UnixNano(), strings.Join(arguments, " ")), nil
}

// CopyTemplate copies the stopped cluster of p to dir, which must not exist.
func (p *Postgres) CopyTemplate(dir string) error { return copyCluster(p.dir, dir, account{}) }

// copyCluster copies a stopped cluster to dir and gives the copy to the account.
func copyCluster(cluster, dir string, as account) error {
	if err := os.CopyFS(dir, os.DirFS(cluster)); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a directory; the server requires this mode
		return err
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return as.own(path)
	})
}
