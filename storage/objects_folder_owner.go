package storage

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

const (
	// ownerFile holds the owner of a folder. No bucket has this name.
	ownerFile = ".owner"
	maxOwner  = 100 // characters
)

// ErrObjectOwner reports that a folder of objects belongs to another installation.
var ErrObjectOwner = errors.New("storage: the folder of objects belongs to another installation")

// errUnclaimed reports a folder without an owner.
var errUnclaimed = errors.New("the folder of objects is not prepared, or its disk is not mounted")

// IsNewFolder reports whether a folder of objects is of no installation yet: the first start takes it, and makes it where it is missing.
func IsNewFolder(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ownerFile))
	return errors.Is(err, fs.ErrNotExist)
}

func isOwner(text string) bool {
	return text != "" && len(text) <= maxOwner && !strings.ContainsFunc(text, unicode.IsControl) &&
		strings.TrimSpace(text) == text
}

// checkOwner compares the owner of the folder with the owner of the options.
func (b *folderBucket) checkOwner(folder *os.Root) error {
	owner, err := b.readOwner(folder)
	if err != nil {
		return err
	}
	if owner != b.owner {
		return fmt.Errorf("%w: %s of %s names %q, this one is %q; choose another folder", ErrObjectOwner, ownerFile, b.folder,
			owner, b.owner)
	}
	return nil
}

// readOwner returns the owner of the folder. Errors: errUnclaimed.
func (b *folderBucket) readOwner(folder *os.Root) (owner string, err error) {
	f, err := folder.Open(ownerFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: %s has no file %s", errUnclaimed, b.folder, ownerFile)
	}
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text, err := io.ReadAll(io.LimitReader(f, 2*maxOwner))
	return strings.TrimSuffix(string(text), "\n"), err
}

// claim writes the owner once. The link makes the file appear whole, for one of several installations at most.
func (b *folderBucket) claim(folder *os.Root) error {
	err := b.checkOwner(folder)
	if !errors.Is(err, errUnclaimed) {
		return err
	}
	err = b.writeOwner(folder)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return b.checkOwner(folder)
}

func (b *folderBucket) writeOwner(folder *os.Root) (err error) {
	temporary := b.bucket + "/" + temporaryName()
	f, err := b.disk.create(folder, temporary)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, folder.Remove(temporary), f.Close())
	}()
	if _, err := io.WriteString(f, b.owner+"\n"); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := folder.Link(temporary, ownerFile); err != nil {
		return err
	}
	return b.disk.sync(folder, ".")
}
