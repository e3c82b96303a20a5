package embedded

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// findProcesses returns the processes whose command line match accepts. Command lines are readable for
// every process, unlike the links in /proc, which need a capability that containers withhold from root.
func findProcesses(match func(argv []string) bool) []int {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the only error is a malformed pattern
	var pids []int
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil || len(raw) == 0 {
			continue // gone meanwhile, a kernel thread or a zombie
		}
		var argv []string
		for arg := range bytes.SplitSeq(bytes.TrimRight(raw, "\x00"), []byte{0}) {
			argv = append(argv, string(arg))
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil && match(argv) {
			pids = append(pids, pid)
		}
	}
	return pids
}
