package testkit

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// family returns a process and its children: a Postgres server has one for each session.
func family(pid int) []int {
	pids := []int{pid}
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the only error is a malformed pattern
	for _, file := range files {
		child, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil && parentOf(file) == pid {
			pids = append(pids, child)
		}
	}
	return pids
}

// parentOf reads the parent's id, the second field after the command's name, which is in parentheses and may itself
// hold any character.
func parentOf(statFile string) int {
	raw, err := os.ReadFile(statFile)
	if err != nil {
		return 0 // the process has ended
	}
	fields := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0
	}
	return parent
}
