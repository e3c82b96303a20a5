package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the system account a server runs as. PostgreSQL refuses to run as root, so a root program
// hands it to another one.
type account struct {
	uid, gid uint32
	switched bool // false: the account this program itself runs as
}

// accountFor returns the account of a server whose data is in dir: the program's own, or, for root, the owner of
// existing data, else `postgres`, else `nobody`.
func accountFor(dir string) (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	if info, err := os.Stat(dir); err == nil {
		if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 {
			return account{uid: st.Uid, gid: st.Gid, switched: true}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(errUID, errGID); err != nil {
			return account{}, fmt.Errorf("account %s: %w", name, err)
		}
		return account{uid: uint32(uid), gid: uint32(gid), switched: true}, nil
	}
	return account{}, errors.New("running as root, and there is no account `postgres` or `nobody` to run PostgreSQL as")
}

// credential returns the account for a child; nil for the program's own.
func (a account) credential() *syscall.Credential {
	if !a.switched {
		return nil
	}
	return &syscall.Credential{Uid: a.uid, Gid: a.gid}
}

// ServerAccount returns the account of a server that refuses to run as root; nil for the program's own.
func ServerAccount() (*syscall.Credential, error) {
	as, err := accountFor("")
	return as.credential(), err
}

// own gives path to the account; nothing to do when it is the program's own.
func (a account) own(path string) error {
	if !a.switched {
		return nil
	}
	return os.Lchown(path, int(a.uid), int(a.gid))
}

// canReach reports whether the account may traverse dir and all its parents, which a directory below a
// private home does not allow. Supplementary groups are dropped for children and so do not count.
func (a account) canReach(dir string) (bool, error) {
	if !a.switched {
		return true, nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return false, err
	}
	target, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return false, err
	}
	for ; ; target = filepath.Dir(target) {
		info, err := os.Stat(target)
		if err != nil {
			return false, err
		}
		if !a.mayEnter(info) {
			return false, nil
		}
		if target == filepath.Dir(target) {
			return true, nil
		}
	}
}

func (a account) mayEnter(info fs.FileInfo) bool {
	perm := info.Mode().Perm()
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case ok && st.Uid == a.uid:
		return perm&0o100 != 0
	case ok && st.Gid == a.gid:
		return perm&0o010 != 0
	default:
		return perm&0o001 != 0
	}
}
