package procstat

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestThisProcessIsRead(t *testing.T) {
	t.Parallel()
	all := Read()
	if len(all) == 0 {
		t.Skip("no /proc")
	}
	require.Contains(t, all, os.Getpid())
	assert.Equal(t, os.Getppid(), all[os.Getpid()].Parent)
	assert.True(t, all.Descends(os.Getpid(), os.Getppid()))
	assert.False(t, all.Descends(os.Getppid(), os.Getpid()))
	self, ok := Of(os.Getpid())
	assert.True(t, ok)
	assert.Equal(t, os.Getppid(), self.Parent)
	_, ok = Of(-1)
	assert.False(t, ok)
	resident, ok := MiB(os.Getpid(), "VmRSS")
	assert.True(t, ok)
	assert.Positive(t, resident)
	_, ok = MiB(-1, "VmRSS")
	assert.False(t, ok)
	assert.Positive(t, Busy())
}

// The name of a program may have spaces and parentheses.
func TestALineWithAnOddName(t *testing.T) {
	t.Parallel()
	p, ok := parseStat([]byte("12 (a) b (c)) S 7 1 1 0 -1 0 0 0 0 0 150 50 0 0"))
	require.True(t, ok)
	assert.Equal(t, Process{PID: 12, Parent: 7, Name: "a) b (c)", State: "S", CPU: 2 * time.Second}, p)
	_, ok = parseStat([]byte("12 (short) S 7"))
	assert.False(t, ok)
}
