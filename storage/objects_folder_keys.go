package storage

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

const listedAtOnce = 1000 // names of a directory

// keyList collects the first keys with a prefix. A directory is in no order, so it sorts what it has now and then.
type keyList struct {
	prefix string
	limit  int
	keys   []string
}

// add keeps at most three times the limit.
func (l *keyList) add(key string) {
	if !strings.HasPrefix(key, l.prefix) {
		return
	}
	if l.keys = append(l.keys, key); len(l.keys) >= 3*l.limit {
		l.cut()
	}
}

func (l *keyList) cut() {
	slices.Sort(l.keys)
	l.keys = l.keys[:min(len(l.keys), l.limit)]
}

// keyWalk calls found with each key that can have the prefix, in no order.
type keyWalk struct {
	prefix string
	found  func(key string)
}

// mayHold reports whether keys below a directory can have the prefix.
func (w *keyWalk) mayHold(dir string) bool {
	return len(dir) < maxObjectKey && (strings.HasPrefix(dir, w.prefix) || strings.HasPrefix(w.prefix, dir))
}

// keys begins at the deepest directory of the prefix.
func (b *folderBucket) keys(ctx context.Context, prefix string, limit int) ([]string, error) {
	root, err := b.open(ctx)
	if err != nil {
		return nil, objectError("list", prefix, err)
	}
	defer func() { _ = root.Close() }()
	l := &keyList{prefix: prefix, limit: limit}
	dir, key := ".", ""
	if i := strings.LastIndexByte(prefix, '/'); i >= 0 {
		key = prefix[:i+1]
		if dir, _, err = fileOf(key + "x"); err != nil {
			return nil, nil // no object has such a key
		}
	}
	if err := (&keyWalk{prefix: prefix, found: l.add}).dir(ctx, root, dir, key); err != nil {
		return nil, objectError("list", prefix, err)
	}
	l.cut()
	return l.keys, nil
}

// dir finds the keys of a directory, which begin with key, and of the directories below it. It follows no symbolic
// link.
func (w *keyWalk) dir(ctx context.Context, root *os.Root, dir, key string) (err error) {
	f, err := root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries, err := f.ReadDir(listedAtOnce)
		for _, entry := range entries {
			if err := w.visit(ctx, root, entry, dir, key); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// visit skips what put has not named.
func (w *keyWalk) visit(ctx context.Context, root *os.Root, entry fs.DirEntry, dir, key string) error {
	name, isObject := strings.CutSuffix(entry.Name(), objectSuffix)
	part, ok := unescapePart(name)
	switch {
	case !ok:
		return nil
	case isObject && entry.Type().IsRegular():
		w.found(key + part)
	case !isObject && entry.IsDir() && w.mayHold(key+part+"/"):
		return w.dir(ctx, root, dir+"/"+name, key+part+"/")
	}
	return nil
}
