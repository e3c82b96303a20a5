//go:build !linux

package trial

import (
	"errors"
	"os/exec"
	"syscall"
)

func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func runLocked(cmd *exec.Cmd, started chan<- error, done chan<- struct{}) {
	err := cmd.Start()
	started <- err
	if err == nil {
		_ = cmd.Wait()
		close(done)
	}
}

func mountDisk(string, int) error { return errors.ErrUnsupported }

func unmountDisk(string) error { return nil }
