package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"banca/internal/platform/businessday"
	"banca/internal/platform/clock"
)

// keptFile has what a kept stack was filled with.
const keptFile = "pages.json"

// keptHistory is the content of keptFile.
type keptHistory struct {
	Zone  string // of business days
	Day   string // today of the history
	Lines int
	Whole bool // has also the sales of today, counted
}

// afternoonHour is the hour of the business day in which pages are measured: half of its draws have taken place.
const afternoonHour = 14

// afternoonZone returns the zone in which it is afternoon now, so that some draws of today are over and others on sale, at whatever time it is measured.
func afternoonZone(now time.Time) *time.Location {
	const west, day = -12, 24
	east := afternoonHour - now.UTC().Hour()
	if east < west {
		east += day
	}
	name := fmt.Sprintf("Etc/GMT%+d", -east) // these names count to the west
	if east == 0 {
		name = "Etc/GMT"
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}

// openKept uses a directory that outlives the run. Errors: one that an earlier run has filled on another day or with another number of lines.
func (s *benchTestbed) openKept(dir string, lines int) error {
	s.dir, s.kept = dir, true
	s.lines = lines
	raw, err := os.ReadFile(filepath.Join(dir, keptFile))
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(dir, 0o711)
	}
	if err != nil {
		return err
	}
	var found keptHistory
	if err := json.Unmarshal(raw, &found); err != nil {
		return err
	}
	if s.zone, err = time.LoadLocation(found.Zone); err != nil {
		return err
	}
	if today := s.today(); found.Day != today.String() || found.Lines != lines {
		return fmt.Errorf("%s has %d lines up to %s, not %d up to %s: remove it", dir, found.Lines, found.Day, lines, today)
	}
	s.written, s.filled = true, found.Whole
	return nil
}

// mark notes in a kept directory that its history is written, and whether the sales of today are, too.
func (s *benchTestbed) mark(whole bool) error {
	if !s.kept {
		return nil
	}
	raw, err := json.Marshal(keptHistory{Zone: s.zone.String(), Day: s.today().String(), Lines: s.lines, Whole: whole})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, keptFile), raw, 0o600)
}

// today is the business day of the testbed.
func (s *benchTestbed) today() businessday.Day { return businessday.Of(clock.System{}.Now(), s.zone) }
