package tasks_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/tasks"
)

func TestEveryKindHasAUsableSpec(t *testing.T) {
	t.Parallel()
	queues := map[string]bool{}
	for _, q := range tasks.Queues() {
		assert.Positive(t, q.Weight, q.Name)
		queues[q.Name] = true
	}
	assert.True(t, slices.IsSorted(tasks.Kinds()))
	for _, kind := range tasks.Kinds() {
		spec, ok := tasks.SpecOf(kind)
		require.True(t, ok, kind)
		assert.Regexp(t, `^[a-z]+\.[a-z_]+$`, kind)
		assert.True(t, queues[spec.Queue], "%s is in the unknown queue %q", kind, spec.Queue)
		assert.Positive(t, spec.MaxRetry, kind)
		assert.GreaterOrEqual(t, spec.Timeout, time.Second, kind)
		assert.Zero(t, spec.Timeout%time.Second, "%s: asynq stores whole seconds", kind)
		assert.LessOrEqual(t, spec.MaxDelay, 5*time.Minute, kind)
	}
}

// TestEveryArgsTypeIsInTheTable reads the sources, so that an argument struct cannot be forgotten.
func TestEveryArgsTypeIsInTheTable(t *testing.T) {
	t.Parallel()
	declared := kindsInSource(t)
	slices.Sort(declared)
	assert.Equal(t, declared, tasks.Kinds())
}

// kindsInSource returns the string each Kind method of this package returns.
func kindsInSource(t *testing.T) []string {
	t.Helper()
	files, err := fs.Glob(os.DirFS("."), "*.go")
	require.NoError(t, err)
	var kinds []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.Name == "Kind" {
				ret, ok := fn.Body.List[0].(*ast.ReturnStmt)
				require.True(t, ok, "a Kind method returns a literal")
				literal, ok := ret.Results[0].(*ast.BasicLit)
				require.True(t, ok, "a Kind method returns a literal")
				kinds = append(kinds, strings.Trim(literal.Value, `"`))
			}
		}
	}
	return kinds
}

func TestDecodeIsStrict(t *testing.T) {
	t.Parallel()
	args, err := tasks.Decode[tasks.ReceiptRender]([]byte(`{"ticket_id":"a"}`))
	require.NoError(t, err)
	assert.Equal(t, tasks.ReceiptRender{TicketID: "a"}, args)
	for _, payload := range []string{``, `[]`, `"a"`, `{"ticket_id":1}`, `{"ticket_id":"a","x":1}`, `{"ticket_id":"a"}{}`} {
		_, err := tasks.Decode[tasks.ReceiptRender]([]byte(payload))
		assert.ErrorIs(t, err, tasks.ErrBadPayload, payload)
	}
}

type unknownArgs struct{}

func (unknownArgs) Kind() string { return "no.such" }

func TestNewTask(t *testing.T) {
	t.Parallel()
	task, err := tasks.NewTask(tasks.DrawClose{DrawID: "d"})
	require.NoError(t, err)
	assert.Equal(t, "draw.close", task.Type())
	assert.JSONEq(t, `{"draw_id":"d"}`, string(task.Payload()))

	_, err = tasks.NewTask(unknownArgs{})
	require.ErrorIs(t, err, tasks.ErrUnknownKind)
	_, err = tasks.FromPayload("no.such", []byte(`{}`), nil)
	require.ErrorIs(t, err, tasks.ErrUnknownKind)
	_, err = tasks.FromPayload("draw.close", []byte(`{"nonsense":true}`), nil)
	require.ErrorIs(t, err, tasks.ErrBadPayload)
}

func TestRetryDelayIsBounded(t *testing.T) {
	t.Parallel()
	for _, kind := range append(tasks.Kinds(), "no.such") {
		previous := time.Duration(0)
		for n := range 100 {
			delay := tasks.RetryDelay(n, kind)
			assert.GreaterOrEqual(t, delay, max(previous, time.Second), kind)
			assert.LessOrEqual(t, delay, 5*time.Minute, kind)
			previous = delay
		}
	}
	assert.Equal(t, 4*time.Second, tasks.RetryDelay(2, "message.send"))
}
