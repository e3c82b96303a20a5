package storage

import (
	"context"
	"io/fs"
)

// MigrateFiles is migrate for tests with migrations of their own.
func MigrateFiles(ctx context.Context, url string, files fs.FS) ([]int64, error) {
	return migrate(ctx, url, files)
}
