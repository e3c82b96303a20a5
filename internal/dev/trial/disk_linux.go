package trial

import "syscall"

// mountDisk makes a small disk of memory, which needs the rights of root.
func mountDisk(dir string, mebibytes int) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, diskSize(mebibytes))
}

// unmountDisk removes it, as soon as nothing uses it.
func unmountDisk(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }
