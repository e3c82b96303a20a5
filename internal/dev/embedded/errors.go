package embedded

import "errors"

var (
	// ErrPostgresMissing reports that this machine has no usable PostgreSQL server binaries.
	ErrPostgresMissing = errors.New("no PostgreSQL server found: install the package `postgresql`" +
		" (apt-get install postgresql) or set DATABASE_URL")
	// ErrRedisMissing reports that this machine has neither redis-server nor valkey-server; it is returned only if
	// the in-process Redis is not allowed.
	ErrRedisMissing = errors.New("no Redis server found: install the package `redis-server`" +
		" (apt-get install redis-server) or set REDIS_URL")
	// ErrDataDirInUse reports that another process runs the stack of this data directory.
	ErrDataDirInUse = errors.New("the data directory (DATA_DIR) is in use by another process")
)
