//go:build !linux

package trial

import "errors"

func mountDisk(string, int) error { return errors.ErrUnsupported }

func unmountDisk(string) error { return nil }
