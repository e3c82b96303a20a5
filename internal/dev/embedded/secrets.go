package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Secrets keeps generated secrets in one file that only the owner can read, so that a restart does not log
// everybody out or change the token that the bank was given. Safe for concurrent use.
type Secrets struct {
	path string

	mu     sync.Mutex
	values map[string]string
}

// openSecrets reads the file, which need not exist.
func openSecrets(path string) (*Secrets, error) {
	s := &Secrets{path: path, values: map[string]string{}}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &s.values); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return s, nil
}

// Get returns the secret of a name; the first time it is made by generate and stored.
func (s *Secrets) Get(name string, generate func() string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if value, ok := s.values[name]; ok {
		return value, nil
	}
	value := generate()
	s.values[name] = value
	if err := s.save(); err != nil {
		delete(s.values, name)
		return "", fmt.Errorf("store secret %s: %w", name, err)
	}
	return value, nil
}

// save replaces the file in one step, so that no crash can leave half of it.
func (s *Secrets) save() error {
	raw, err := json.MarshalIndent(s.values, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), "secrets-") // mode 0600
	if err != nil {
		return err
	}
	_, errWrite := f.Write(append(raw, '\n'))
	err = errors.Join(errWrite, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), s.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
