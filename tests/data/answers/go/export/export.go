// Copyright 2023 the timesheet authors. 0BSD.

// Package export writes sheets for other programs and for people.
package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"example.com/timesheet/durations"
	"example.com/timesheet/sheet"
)

// CSV writes one row an entry, after a header.
func CSV(w io.Writer, s *sheet.Sheet) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"day", "project", "minutes", "notes"}); err != nil {
		return err
	}
	for _, e := range s.Entries() {
		minutes := fmt.Sprint(int(e.Duration().Minutes()))
		if err := out.Write([]string{e.Start.Format("2006-01-02"), e.Project, minutes, e.Notes}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Summary returns one line a project and one for all.
func Summary(s *sheet.Sheet) string {
	var b strings.Builder
	sums := s.ByProject()
	for _, name := range s.Projects() {
		fmt.Fprintf(&b, "%-20s %s\n", name, durations.Clock(sums[name]))
	}
	fmt.Fprintf(&b, "%-20s %s\n", "all", durations.Clock(s.Sum()))
	return b.String()
}

// Joined returns texts with a separator between those that are not empty.
func Joined(separator string, texts ...string) string {
	var kept []string
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, separator)
}
