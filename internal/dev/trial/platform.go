package trial

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"banca/internal/app"
	"banca/internal/dev/embedded"
	"banca/internal/dev/process"
	"banca/internal/dev/simulators"
	"banca/internal/dev/testbed"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
)

const (
	instance     = "trial" // of the gateway, and the access key of the object store
	publicBucket = "banca"
	publicURL    = "http://127.0.0.1" // it is on receipts, so it is that of all processes
	postgresMiB  = 1024
	redisMiB     = 256
)

// Servers that processes reach through proxies.
const (
	toPostgres = "postgres"
	toRedis    = "redis"
	toObjects  = "objects"
	toGateway  = "gateway"
)

// platform is everything that a run starts.
type platform struct {
	options *Options
	insist  time.Duration // how much longer a fault lasts until it has an effect
	dir     string

	disks    []*disk
	database *database
	memory   *memory
	objects  *embedded.S3
	gateway  *simulators.Gateway
	sent     *sentMessages

	gatewayServer *http.Server
	proxies       []*proxy
	processes     []*supervised
	stopProcesses func()
	logs          []*os.File

	points              []point
	draws               []string
	admin, second, bank *actor
	merchant            string
}

// sentMessages counts what reached each number.
type sentMessages struct {
	mu sync.Mutex
	to map[string]int
}

func (s *sentMessages) add(m simulators.Delivered) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to["+"+strings.TrimPrefix(m.Number, "+")]++
}

func (s *sentMessages) count(number string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to[number]
}

// openServers starts the servers and prepares the database; no process of the platform runs yet.
func openServers(ctx context.Context, o *Options) (*platform, error) {
	s := &platform{options: o, sent: &sentMessages{to: map[string]int{}}}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

func (s *platform) open(ctx context.Context) error {
	var err error
	if s.dir, err = testbed.Scratch(s.options.DataDir, "trial-"); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{s.startDatabase, s.startMemory, s.startObjects, s.startGateway, s.prepare, s.makeProcesses} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// newDisks makes the disks of two servers: small ones of memory, or directories where there is no spare server.
func (s *platform) newDisks(name string, mebibytes int) (pair [2]*disk, err error) {
	if !s.options.shape.spare {
		pair[0] = &disk{dir: filepath.Join(s.dir, name)}
		return pair, os.MkdirAll(pair[0].dir, 0o711) // the account of Postgres reaches its directory below it
	}
	for i := range pair {
		if pair[i], err = newDisk(filepath.Join(s.dir, name+"-"+strconv.Itoa(i)), mebibytes, s.options.Log); err != nil {
			return pair, err
		}
		s.disks = append(s.disks, pair[i])
	}
	return pair, nil
}

func (s *platform) startDatabase(ctx context.Context) error {
	disks, err := s.newDisks("postgres", postgresMiB)
	if err != nil {
		return err
	}
	s.database = &database{disks: disks, log: s.options.Log, spare: s.options.shape.spare}
	return s.database.start(ctx)
}

func (s *platform) startMemory(ctx context.Context) error {
	disks, err := s.newDisks("redis", redisMiB)
	if err != nil {
		return err
	}
	s.memory = &memory{disks: disks, log: s.options.Log, spare: s.options.shape.spare}
	return s.memory.start(ctx)
}

func (s *platform) startObjects(ctx context.Context) (err error) {
	s.objects, err = embedded.StartS3(ctx, embedded.S3Options{Dir: filepath.Join(s.dir, "s3"), AccessKey: instance, SecretKey: testbed.Key, Logger: s.options.Log})
	return err
}

func (s *platform) startGateway(ctx context.Context) error {
	s.gateway = simulators.NewGateway(simulators.GatewayConfig{APIKey: testbed.Key, Instance: instance, Clock: clock.System{}, Delivered: s.sent.add})
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.gatewayServer = &http.Server{Addr: l.Addr().String(), Handler: s.gateway, ReadHeaderTimeout: attemptWithin}
	go func() { _ = s.gatewayServer.Serve(l) }()
	return nil
}

// target is where a server of a name is.
func (s *platform) target(server string) endpoint {
	switch server {
	case toPostgres:
		return s.database.target()
	case toRedis:
		return s.memory.target()
	case toObjects:
		return endpoint{"tcp", strings.TrimPrefix(s.objects.Endpoint(), "http://")}
	default:
		return endpoint{"tcp", s.gatewayServer.Addr}
	}
}

// makeProcesses makes the processes of each role.
func (s *platform) makeProcesses(ctx context.Context) error {
	for _, role := range []app.Role{app.RoleAPI, app.RoleWorker, app.RoleScheduler} {
		for n := range s.options.shape.each {
			p, err := s.makeProcess(ctx, string(role), n+1)
			if err != nil {
				return err
			}
			s.processes = append(s.processes, p)
		}
	}
	return nil
}

func (s *platform) makeProcess(ctx context.Context, role string, n int) (*supervised, error) {
	name := role + "-" + strconv.Itoa(n)
	log, err := openLog(s.dir, name)
	if err != nil {
		return nil, err
	}
	s.logs = append(s.logs, log)
	addr, err := process.FreeAddress(ctx)
	if err != nil {
		return nil, err
	}
	at, err := s.addresses(ctx, name)
	if err != nil {
		return nil, err
	}
	ops, err := process.FreeAddress(ctx)
	if err != nil {
		return nil, err
	}
	return &supervised{
		name: name, role: role, addr: addr, ops: ops, program: s.options.Program, log: log, clock: filepath.Join(s.dir, name+".clock"),
		env: append(s.environment(addr, ops, at), s.options.Environment...), stopped: make(chan struct{}),
	}, nil
}

// addresses returns those by which a process reaches each server: those of proxies of its own, or the servers themselves where nothing
// is broken.
func (s *platform) addresses(ctx context.Context, name string) (map[string]string, error) {
	at := map[string]string{}
	if !s.options.shape.spare {
		at[toPostgres], at[toRedis] = s.database.nodes[0].URL(), s.memory.nodes[0].URL()
		at[toObjects], at[toGateway] = s.objects.Endpoint(), "http://"+s.gatewayServer.Addr
		return at, nil
	}
	forms := map[string]string{toPostgres: "postgres://banca@%s/banca?sslmode=disable", toRedis: "redis://%s", toObjects: "http://%s", toGateway: "http://%s"}
	for _, server := range []string{toPostgres, toRedis, toObjects, toGateway} { // in an order, by which faults choose
		p, err := listenProxy(ctx, name+"/"+server, s.target(server))
		if err != nil {
			return nil, err
		}
		at[server] = fmt.Sprintf(forms[server], p.address())
		s.proxies = append(s.proxies, p)
		switch server {
		case toPostgres:
			s.database.clients = append(s.database.clients, p)
		case toRedis:
			s.memory.clients = append(s.memory.clients, p)
		}
	}
	return at, nil
}

// servers are the servers as a process reaches them at the addresses.
func (s *platform) servers(at map[string]string) testbed.Servers {
	return testbed.Servers{Postgres: at[toPostgres], Redis: at[toRedis], Objects: at[toObjects], AccessKey: instance, SecretKey: testbed.Key}
}

// environment configures a process that reaches its servers at the addresses.
func (s *platform) environment(addr, ops string, at map[string]string) []string {
	return append(
		s.servers(at).Environment(addr, filepath.Join(s.dir, "data")),
		"OPS_ADDR="+ops, "PUBLIC_URL="+publicURL, "S3_PUBLIC_URL="+s.objects.Endpoint()+"/"+publicBucket,
		"ACCESS_TOKEN_TTL=1h", "SECOND_PERSON_WAIT=0s", "LOG_LEVEL=info",
		"MESSAGING_DRIVER=evolution", "MESSAGING_URL="+at[toGateway], "MESSAGING_API_KEY="+testbed.Key, "MESSAGING_INSTANCE="+instance, "MESSAGING_PER_MINUTE=100000",
		"WORKER_CONCURRENCY=6", "DATABASE_MAX_CONNS=12", "LOTTERY_SOURCES=", "RATES_URL=", "DRAW_DAYS_AHEAD=2",
	)
}

// settings is the configuration of what this process itself does with the database.
func (s *platform) settings() (*config.Config, error) {
	cfg, err := s.servers(map[string]string{
		toPostgres: s.database.nodes[s.database.primary].URL(), toRedis: s.memory.nodes[s.memory.primary].URL(), toObjects: s.objects.Endpoint(),
	}).Settings()
	if err == nil {
		cfg.Business.DrawDaysAhead = 2
	}
	return cfg, err
}

// startProcesses starts the platform and waits until both api processes answer.
func (s *platform) startProcesses(ctx context.Context) error {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stopProcesses = stop
	for _, p := range s.processes {
		go p.supervise(running)
	}
	for _, p := range s.processes {
		if p.role == string(app.RoleAPI) {
			if err := testbed.AwaitReady(ctx, p.addr); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *platform) apis() (addresses []string) {
	for _, p := range s.processes {
		if p.role == string(app.RoleAPI) {
			addresses = append(addresses, p.addr)
		}
	}
	return addresses
}

// close stops everything, the platform first.
func (s *platform) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	var errs []error
	if s.stopProcesses != nil {
		s.stopProcesses()
		for _, p := range s.processes {
			<-p.stopped
		}
	}
	for _, p := range s.proxies {
		p.close()
	}
	if s.gatewayServer != nil {
		errs = append(errs, s.gatewayServer.Close())
	}
	if s.objects != nil {
		errs = append(errs, s.objects.Stop(ctx))
	}
	if s.memory != nil {
		errs = append(errs, s.memory.stop(ctx))
	}
	if s.database != nil {
		errs = append(errs, s.database.stop(ctx))
	}
	for _, d := range s.disks {
		errs = append(errs, d.close())
	}
	for _, f := range s.logs {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
