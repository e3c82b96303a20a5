//go:build !linux

package embedded

import "syscall"

// sysProcAttr has no parent-death signal to offer outside Linux: a child may outlive a killed parent there.
func sysProcAttr(as account, _ syscall.Signal) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if as.switched {
		attr.Credential = &syscall.Credential{Uid: as.uid, Gid: as.gid}
	}
	return attr
}

// findProcesses finds nothing outside Linux; a server left behind is reported by the new one's own lock.
func findProcesses(func(argv []string) bool) []int { return nil }
