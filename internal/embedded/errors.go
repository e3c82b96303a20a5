package embedded

import "errors"

var (
	// ErrPostgresMissing says that no usable PostgreSQL server binaries were found on this machine.
	ErrPostgresMissing = errors.New("no PostgreSQL server found: install the package `postgresql`" +
		" (apt-get install postgresql) or set DATABASE_URL")
	// ErrRedisMissing says that neither redis-server nor valkey-server was found; only a caller that
	// refuses the in-process stand-in ever sees it.
	ErrRedisMissing = errors.New("no Redis server found: install the package `redis-server`" +
		" (apt-get install redis-server) or set REDIS_URL")
	// ErrDataDirInUse says that another process runs the stack of this data directory.
	ErrDataDirInUse = errors.New("the data directory (DATA_DIR) is in use by another process")
)
