package trial

import (
	"os/exec"
	"runtime"
	"syscall"
)

// childAttributes lets a process end with this one, and keeps Ctrl-C from it.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// runLocked runs a command on a thread of its own, because the kernel's signal at the parent's death follows the thread.
func runLocked(cmd *exec.Cmd, started chan<- error, done chan<- struct{}) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	started <- err
	if err == nil {
		_ = cmd.Wait()
		close(done)
	}
}

// mountDisk makes a small disk of memory, which needs the rights of root.
func mountDisk(dir string, mebibytes int) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, diskSize(mebibytes))
}

// unmountDisk removes it, as soon as nothing uses it.
func unmountDisk(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }
