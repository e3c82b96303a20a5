package sheet

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// spoolMemory is how many bytes of a file stay in memory.
const spoolMemory = 1 << 20

// spool keeps written bytes in memory, or in a temporary file beyond a bound. The zero value is empty.
type spool struct {
	memory bytes.Buffer
	file   *os.File
	size   int64
}

func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && s.memory.Len()+len(p) > spoolMemory {
		if err := s.toFile(); err != nil {
			return 0, err
		}
	}
	var out io.Writer = &s.memory
	if s.file != nil {
		out = s.file
	}
	n, err := out.Write(p)
	s.size += int64(n)
	return n, err
}

// toFile moves the bytes in memory to a file without a name, so that nothing stays behind.
func (s *spool) toFile() error {
	file, err := os.CreateTemp("", "banca-export-")
	if err != nil {
		return fmt.Errorf("file of an export: %w", err)
	}
	s.file = file
	if err := os.Remove(file.Name()); err != nil {
		return fmt.Errorf("file of an export: %w", err)
	}
	_, err = s.memory.WriteTo(file)
	return err
}

// WriteTo writes everything.
func (s *spool) WriteTo(out io.Writer) (int64, error) {
	if s.file == nil {
		n, err := out.Write(s.memory.Bytes())
		return int64(n), err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return 0, fmt.Errorf("read file of an export: %w", err)
	}
	return io.Copy(out, s.file)
}

// reader returns a reader of everything, which can also seek and read at an offset.
func (s *spool) reader() io.Reader {
	if s.file == nil {
		return bytes.NewReader(s.memory.Bytes())
	}
	return io.NewSectionReader(s.file, 0, s.size)
}

// Close removes the file.
func (s *spool) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
