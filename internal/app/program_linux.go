package app

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// releaseProgram gives up the pages of the program's code and constants that are in memory, of which a start touches most and a process at rest few. A page
// that is needed comes back from the file. Mappings that the process has written to, such as relocated ones, are left.
func releaseProgram() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer func() { _ = maps.Close() }()
	var at mapping
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) >= 6 && strings.Contains(fields[0], "-"):
			at = mappingOf(fields, program)
		case len(fields) == 3 && fields[0] == "Anonymous:" && fields[1] == "0":
			at.release()
		case len(fields) >= 5 && strings.Contains(fields[0], "-"): // without a file
			at = mapping{}
		}
	}
}

// mapping is a range of addresses with a part of the program; empty for any other one.
type mapping struct{ from, to uintptr }

// mappingOf reads the head of a mapping: addresses, rights, offset, device, inode, path. One with the right to write is not the program's code.
func mappingOf(fields []string, program string) mapping {
	from, to, _ := strings.Cut(fields[0], "-")
	first, err := strconv.ParseUint(from, 16, 64)
	last, errLast := strconv.ParseUint(to, 16, 64)
	if err != nil || errLast != nil || fields[5] != program || strings.Contains(fields[1], "w") {
		return mapping{}
	}
	return mapping{uintptr(first), uintptr(last)}
}

func (m mapping) release() {
	if m.to > m.from {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.from, m.to-m.from, syscall.MADV_DONTNEED)
	}
}
