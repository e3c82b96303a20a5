package app

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/procstat"
)

// A process at rest returns memory once per releaseBytes of garbage; a busy one does not until it rests.
func TestAProcessAtRestReturnsItsMemory(t *testing.T) {
	t.Parallel()
	var allocated uint64
	freed := 0
	r := &resting{allocated: func() uint64 { return allocated }, free: func() { freed++ }}
	look := func(bytes uint64) int {
		allocated += bytes
		r.look()
		return freed
	}
	require.Equal(t, []int{0, 1, 1, 1}, []int{look(releaseBytes - 1), look(1), look(releaseBytes - 1), look(0)}, "at rest")
	require.Equal(t, []int{1, 1}, []int{look(1 << 30), look(restBytes)}, "busy")
	require.Equal(t, []int{2, 2}, []int{look(0), look(0)}, "at rest again")
}

func TestAllocatedBytesGrow(t *testing.T) {
	t.Parallel()
	before := allocatedBytes()
	kept := make([]byte, 1<<20)
	require.GreaterOrEqual(t, allocatedBytes()-before, uint64(len(kept)))
}

// What the process gives up of its program comes back when it is needed; only code that is not in use stays away.
func TestTheProgramIsGivenUp(t *testing.T) {
	before, known := procstat.MiB(os.Getpid(), "RssFile")
	if !known {
		t.Skip("no /proc")
	}
	releaseProgram()
	after, _ := procstat.MiB(os.Getpid(), "RssFile")
	require.Less(t, after, before)
}
