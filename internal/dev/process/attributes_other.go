//go:build !linux

package process

import "syscall"

// attributes has no death signal outside of Linux: a child may outlive a killed parent there.
func attributes(s *Spec) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: s.As}
}
