package testkit

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"banca/internal/dev/embedded"
)

const (
	startTimeout   = 90 * time.Second // of the whole stack, on a machine that is busy compiling
	maxConnections = 400              // Postgres; every test has a pool of its own
	sharedBuffers  = 32               // MB
	maxWALSize     = 128              // MB
	redisDatabases = 512              // one is lent to each running test
)

// shared is the stack of this test process. It is a variable because New gets nothing but the test, and every
// test of the process must find the same stack.
//
//nolint:gochecknoglobals // see above
var shared lab

// lab is a stack that is started once, on first use, and hands out its parts.
type lab struct {
	opened atomic.Bool
	once   sync.Once
	err    error // of the start

	dir     string
	stack   *embedded.Stack
	admin   *pgxpool.Pool // creates and drops the tests' databases
	redisDB chan int      // numbers not lent out
	serial  atomic.Int64  // names databases and buckets

	statements seenStatements
}

// open allows use; without it the S3 process would run the package's tests instead of serving.
func (l *lab) open() { l.opened.Store(true) }

// ready starts the stack if it is not running and returns the error of the one start that was tried.
func (l *lab) ready() error {
	if !l.opened.Load() {
		return errors.New("the package needs: func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }")
	}
	l.once.Do(func() { l.err = l.start() })
	return l.err
}

func (l *lab) start() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	var err error
	abandoned := time.Now().Add(-abandonedAfter) //nolint:forbidigo // the time of a file
	if err := removeUnused(filepath.Join(memoryDir, scratchPrefix+"*"), abandoned); err != nil {
		return err
	}
	if l.dir, err = scratchDir(); err != nil {
		return err
	}
	err = withTemplate(ctx, func(cluster string) error {
		l.stack, err = embedded.Start(ctx, embedded.Options{
			DataDir: filepath.Join(l.dir, "var"),
			Postgres: embedded.PostgresOptions{
				Template: cluster, NoFsync: true, MaxConnections: maxConnections, SharedBuffersMB: sharedBuffers, MaxWALSizeMB: maxWALSize,
				// the databases are small and short-lived: workers that vacuum or scan them beside a test cost a sixth of its time
				Settings: []string{"autovacuum=off", "max_parallel_workers=0"},
			},
			Redis: embedded.RedisOptions{Required: true, Databases: redisDatabases},
		})
		return err
	})
	if err != nil {
		return err
	}
	maintenance, err := databaseURL(l.stack.PostgresURL, "postgres")
	if err != nil {
		return err
	}
	l.redisDB = make(chan int, redisDatabases)
	for n := range redisDatabases {
		l.redisDB <- n
	}
	l.admin, err = pgxpool.New(ctx, maintenance)
	return err
}

// close stops what start started, also when that got only half-way.
func (l *lab) close(ctx context.Context) error {
	if l.admin != nil {
		l.admin.Close()
	}
	var err error
	if l.stack != nil {
		err = l.stack.Stop(ctx)
	}
	if l.dir != "" {
		err = errors.Join(err, removeScratch(l.dir))
	}
	return err
}

// databaseURL returns server's address with another database.
func databaseURL(server, database string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", fmt.Errorf("address of Postgres: %w", err)
	}
	u.Path = "/" + database
	return u.String(), nil
}
