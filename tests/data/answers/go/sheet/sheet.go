// Package sheet holds all entries of a timesheet and adds them up.
package sheet

import (
	"bufio"
	"fmt"
	"io"
	"sort"
	"strings"
	"time"

	"example.com/timesheet/entry"
)

// Sheet is a list of entries, in the order in which they were written.
type Sheet struct {
	entries []entry.Entry
}

// New returns a sheet of these entries.
func New(entries ...entry.Entry) *Sheet {
	return &Sheet{entries: append([]entry.Entry(nil), entries...)}
}

// Read reads a sheet, one entry a line. Empty lines and comments are left out.
func Read(r io.Reader) (*Sheet, error) {
	s := New()
	scanner := bufio.NewScanner(r)
	for number := 1; scanner.Scan(); number++ {
		line := strings.TrimSpace(scanner.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		e, err := entry.Parse(line)
		if err != nil {
			return nil, &LineError{Line: number, Err: err}
		}
		s.Add(e)
	}
	return s, scanner.Err()
}

// Add puts entries at the end.
func (s *Sheet) Add(entries ...entry.Entry) {
	s.entries = append(s.entries, entries...)
}

// Len returns how many entries there are.
func (s *Sheet) Len() int {
	return len(s.entries)
}

// Entries returns all entries; changing the slice does not change the sheet.
func (s *Sheet) Entries() []entry.Entry {
	return append([]entry.Entry(nil), s.entries...)
}

// Sum returns how long all entries took together.
func (s *Sheet) Sum() time.Duration {
	var sum time.Duration
	for _, e := range s.entries {
		sum += e.Duration()
	}
	return sum
}

// ByProject returns how long each project took.
func (s *Sheet) ByProject() map[string]time.Duration {
	sums := map[string]time.Duration{}
	for _, e := range s.entries {
		sums[e.Project] += e.Duration()
	}
	return sums
}

// ByDay returns how long was worked on each day, named like "2024-03-01".
func (s *Sheet) ByDay() map[string]time.Duration {
	sums := map[string]time.Duration{}
	for _, e := range s.entries {
		sums[e.Start.Format("2006-01-02")] += e.Duration()
	}
	return sums
}

// Projects returns the names of all projects, sorted.
func (s *Sheet) Projects() []string {
	sums := s.ByProject()
	names := make([]string, 0, len(sums))
	for name := range sums {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Of returns a sheet of the entries of one project.
func (s *Sheet) Of(project string) *Sheet {
	return s.filter(func(e entry.Entry) bool { return e.Project == project })
}

// Between returns a sheet of the entries that begin in a span of time; its end is left out.
func (s *Sheet) Between(from, to time.Time) *Sheet {
	return s.filter(func(e entry.Entry) bool {
		return !e.Start.Before(from) && e.Start.Before(to)
	})
}

// Containing returns a sheet of the entries whose notes have a word, upper or lower case.
func (s *Sheet) Containing(word string) *Sheet {
	wanted := strings.ToLower(word)
	return s.filter(func(e entry.Entry) bool {
		return strings.Contains(strings.ToLower(e.Notes), wanted)
	})
}

// Sort orders the entries by when they begin.
func (s *Sheet) Sort() {
	sort.SliceStable(s.entries, func(i, j int) bool {
		return s.entries[i].Start.Before(s.entries[j].Start)
	})
}

// Longest returns the entry that took longest; false when there is none.
func (s *Sheet) Longest() (entry.Entry, bool) {
	if len(s.entries) == 0 {
		return entry.Entry{}, false
	}
	longest := s.entries[0]
	for _, e := range s.entries[1:] {
		if e.Duration() > longest.Duration() {
			longest = e
		}
	}
	return longest, true
}

// Overlaps returns pairs of entries that took place at the same time.
func (s *Sheet) Overlaps() [][2]entry.Entry {
	sorted := New(s.entries...)
	sorted.Sort()
	var pairs [][2]entry.Entry
	for i, first := range sorted.entries {
		for _, second := range sorted.entries[i+1:] {
			if !second.Start.Before(first.End) {
				break
			}
			pairs = append(pairs, [2]entry.Entry{first, second})
		}
	}
	return pairs
}

// Write writes a sheet so that Read reads it again.
func (s *Sheet) Write(w io.Writer) error {
	for _, e := range s.entries {
		line := fmt.Sprintf("%s-%s %s %s",
			e.Start.Format("2006-01-02 15:04"), e.End.Format("15:04"), e.Project, e.Notes)
		if _, err := fmt.Fprintln(w, strings.TrimSpace(line)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Sheet) filter(keep func(entry.Entry) bool) *Sheet {
	kept := New()
	for _, e := range s.entries {
		if keep(e) {
			kept.Add(e)
		}
	}
	return kept
}
