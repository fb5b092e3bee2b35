// Package entry reads one line of a timesheet.
package entry

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrMalformed says that a line is no entry.
var ErrMalformed = errors.New("malformed entry")

// Entry is one piece of work.
type Entry struct {
	Start   time.Time
	End     time.Time
	Project string
	Notes   string
}

// Duration returns how long it took.
func (e Entry) Duration() time.Duration {
	return e.End.Sub(e.Start)
}

// Parse reads a line like "2024-03-01 9:00-17:30 project notes".
func Parse(line string) (Entry, error) {
	fields := strings.Fields(line)
	if len(fields) < 3 {
		return Entry{}, fmt.Errorf("%w: %q", ErrMalformed, line)
	}
	from, to, found := strings.Cut(fields[1], "-")
	if !found {
		return Entry{}, fmt.Errorf("%w: no times in %q", ErrMalformed, line)
	}
	start, err := at(fields[0], from)
	if err != nil {
		return Entry{}, err
	}
	end, err := at(fields[0], to)
	if err != nil {
		return Entry{}, err
	}
	return Entry{Start: start, End: end, Project: fields[2], Notes: strings.Join(fields[3:], " ")}, nil
}

func at(day, clock string) (time.Time, error) {
	parsed, err := time.Parse("2006-01-02 15:04", day+" "+clock)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: %s %s", ErrMalformed, day, clock)
	}
	return parsed, nil
}
