package process

import (
	"cmp"
	"syscall"
)

func attributes(s *Spec) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: cmp.Or(s.Death, syscall.SIGKILL), Credential: s.As}
}
