"""What is to be done in the Go project."""

from __future__ import annotations

from tests.answers.projects import Task, project

ADD = Task(
    id="add-function",
    language="go",
    text="""\
Add `HalfDays(d time.Duration) float64` and `FromHalfDays(count float64) time.Duration` to \
`durations/durations.go`, behind `FromWorkingDays`
  - a half day is half a working day, four hours""",
    subject="durations/durations.go",
    shown_in_part=True,
    edits={
        "durations/durations.go": (
            (
                """\
func FromWorkingDays(count float64) time.Duration {
	return time.Duration(count * float64(WorkingDay))
}
""",
                """\
func FromWorkingDays(count float64) time.Duration {
	return time.Duration(count * float64(WorkingDay))
}

// HalfDays returns a duration as halves of working days, with a fraction.
func HalfDays(d time.Duration) float64 {
	return 2 * WorkingDays(d)
}

// FromHalfDays returns the duration of so many halves of working days.
func FromHalfDays(count float64) time.Duration {
	return FromWorkingDays(count / 2)
}
""",
            ),
        )
    },
    place="durations/hidden_test.go",
    hidden="""\
package durations

import (
	"testing"
	"time"
)

func TestHidden(t *testing.T) {
	if HalfDays(6*time.Hour) != 1.5 || FromHalfDays(3) != 12*time.Hour {
		t.Error("half days")
	}
	if Words(26*time.Hour) != "1 day 2 hours" || Billable(time.Hour+1, time.Hour) != 2*time.Hour {
		t.Error("others")
	}
	if d, err := Parse("8:30"); err != nil || Decimal(d) != "8.50" {
		t.Error("parse")
	}
	if Median(3, 1, 2) != 2 || Clamp(5, 1, 3) != 3 || Max(1, 2, 3) != 3 {
		t.Error("order")
	}
}
""",
)

FIX = Task(
    id="fix-bug",
    language="go",
    text="""\
Fix `Parse` in `entry/entry.go`: an entry that ends before it begins goes over midnight, so that \
it ends the day after; see `docs/format.md`
  - Tests: `entry/entry_test.go` (already in the repository, do not change)""",
    subject="entry/entry.go",
    edits={
        "entry/entry.go": (
            (
                """\
	end, err := at(fields[0], to)
	if err != nil {
		return Entry{}, err
	}
""",
                """\
	end, err := at(fields[0], to)
	if err != nil {
		return Entry{}, err
	}
	if end.Before(start) {
		end = end.AddDate(0, 0, 1)
	}
""",
            ),
        )
    },
    place="entry/hidden_test.go",
    hidden="""\
package entry

import (
	"errors"
	"testing"
	"time"
)

func TestHidden(t *testing.T) {
	e, err := Parse("2024-03-02 22:00-1:15 server moved the database")
	if err != nil || e.Duration() != 3*time.Hour+15*time.Minute {
		t.Errorf("%v %v", e, err)
	}
	if e.End.Day() != 3 || e.Start.Day() != 2 || e.Notes != "moved the database" {
		t.Errorf("%v", e)
	}
	e, err = Parse("2024-03-02 9:00-9:00 server")
	if err != nil || e.Duration() != 0 {
		t.Errorf("%v %v", e, err)
	}
	for _, line := range []string{"", "2024-03-02 9:00 server x", "2024-13-02 9:00-10:00 a"} {
		if _, err := Parse(line); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %v", line, err)
		}
	}
}
""",
)

OPTION = Task(
    id="several-projects",
    language="go",
    text="""\
Let `Sheet.Of` in `sheet/sheet.go` take several projects, `Of(projects ...string)`: a sheet of the \
entries of any of them
  - without a project the sheet is empty""",
    subject="sheet/sheet.go",
    edits={
        "sheet/sheet.go": (
            (
                """\
// Of returns a sheet of the entries of one project.
func (s *Sheet) Of(project string) *Sheet {
	return s.filter(func(e entry.Entry) bool { return e.Project == project })
}
""",
                """\
// Of returns a sheet of the entries of these projects; of none it is empty.
func (s *Sheet) Of(projects ...string) *Sheet {
	wanted := map[string]bool{}
	for _, project := range projects {
		wanted[project] = true
	}
	return s.filter(func(e entry.Entry) bool { return wanted[e.Project] })
}
""",
            ),
        )
    },
    changed=("Sheet.Of",),
    place="sheet/hidden_test.go",
    hidden="""\
package sheet

import (
	"strings"
	"testing"
	"time"
)

func TestHidden(t *testing.T) {
	s := read(t)
	if s.Of("garden").Len() != 2 || s.Of("garden", "server").Len() != 3 || s.Of().Len() != 0 {
		t.Error("of")
	}
	if s.Containing("TREES").Len() != 1 || len(s.Overlaps()) != 0 || len(s.ByDay()) != 2 {
		t.Error("others")
	}
	if longest, ok := s.Longest(); !ok || longest.Duration() != 3*time.Hour {
		t.Error("longest")
	}
	day := time.Date(2024, 3, 2, 0, 0, 0, 0, time.UTC)
	if s.Between(day, day.AddDate(0, 0, 1)).Len() != 1 {
		t.Error("between")
	}
	var b strings.Builder
	if err := s.Write(&b); err != nil || strings.Count(b.String(), "\\n") != 3 {
		t.Error("write")
	}
}
""",
)

MODULE = Task(
    id="new-package",
    language="go",
    text="""\
Add a package `holidays/holidays.go` with `Easter(year int) time.Time` and \
`IsHoliday(day time.Time) bool`, and its tests in `holidays/holidays_test.go`
  - `Easter` is Easter Sunday of the Gregorian calendar, at midnight UTC: 31 March in 2024
  - holidays are 1 January, Easter Monday, 25 and 26 December""",
    subject="holidays/holidays.go",
    new={
        "holidays/holidays.go": """\
// Package holidays knows the days on which nobody works.
package holidays

import "time"

// Easter returns Easter Sunday of a year, at midnight UTC.
func Easter(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	d, e := b/4, b%4
	f := (b + 8) / 25
	g := (b - f + 1) / 3
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 22*l) / 451
	sum := h + l - 7*m + 114
	return time.Date(year, time.Month(sum/31), sum%31+1, 0, 0, 0, 0, time.UTC)
}

// IsHoliday tells whether nobody works on a day.
func IsHoliday(day time.Time) bool {
	switch day.Format("01-02") {
	case "01-01", "12-25", "12-26":
		return true
	}
	monday := Easter(day.Year()).AddDate(0, 0, 1)
	return day.Month() == monday.Month() && day.Day() == monday.Day()
}
""",
        "holidays/holidays_test.go": """\
package holidays

import (
	"testing"
	"time"
)

func TestEaster(t *testing.T) {
	for year, want := range map[int]string{2024: "03-31", 2025: "04-20", 2038: "04-25"} {
		if got := Easter(year).Format("01-02"); got != want {
			t.Errorf("%d: got %s, want %s", year, got, want)
		}
	}
}

func TestIsHoliday(t *testing.T) {
	for day, want := range map[string]bool{
		"2024-01-01": true,
		"2024-04-01": true,
		"2024-12-26": true,
		"2024-03-31": false,
		"2024-07-14": false,
	} {
		parsed, err := time.Parse("2006-01-02", day)
		if err != nil {
			t.Fatal(err)
		}
		if got := IsHoliday(parsed); got != want {
			t.Errorf("%s: got %v", day, got)
		}
	}
}
""",
    },
    place="holidays/hidden_test.go",
    hidden="""\
package holidays

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestHidden(t *testing.T) {
	for year, want := range map[int]string{1961: "04-02", 2000: "04-23", 2011: "04-24"} {
		if got := Easter(year); got.Format("01-02") != want || got.Location() != time.UTC {
			t.Errorf("%d: %v", year, got)
		}
	}
	for _, day := range []string{"2000-01-01", "2000-04-24", "1999-12-25", "1999-12-26"} {
		parsed, _ := time.Parse("2006-01-02", day)
		if !IsHoliday(parsed) || IsHoliday(parsed.AddDate(0, 0, 40)) {
			t.Error(day)
		}
	}
	tests, err := os.ReadFile("holidays_test.go")
	if err != nil || strings.Count(string(tests), "t.Error") < 2 {
		t.Error("the tests show too little")
	}
	if !strings.Contains(string(tests), "Easter(") {
		t.Error("the tests show too little")
	}
	if !strings.Contains(string(tests), "IsHoliday(") {
		t.Error("the tests show too little")
	}
}
""",
)

EXPORT = Task(
    id="untested-file",
    language="go",
    text="""\
Add `Markdown(w io.Writer, s *sheet.Sheet) error` to `export/export.go`, behind `CSV`
  - a table with the columns `day`, `project`, `hours` and `notes`, hours as \
`durations.Clock` writes them
  - `sheet/sheet_test.go` shows how sheets are made in tests, `docs/format.md` what a sheet is""",
    subject="export/export.go",
    edits={
        "export/export.go": (
            (
                """\
// Summary returns one line a project and one for all.
""",
                """\
// Markdown writes a table with one row an entry.
func Markdown(w io.Writer, s *sheet.Sheet) error {
	head := "| day | project | hours | notes |\\n| --- | --- | --- | --- |\\n"
	if _, err := fmt.Fprint(w, head); err != nil {
		return err
	}
	for _, e := range s.Entries() {
		_, err := fmt.Fprintf(w, "| %s | %s | %s | %s |\\n",
			e.Start.Format("2006-01-02"), e.Project, durations.Clock(e.Duration()), e.Notes)
		if err != nil {
			return err
		}
	}
	return nil
}

// Summary returns one line a project and one for all.
""",
            ),
        )
    },
    place="export/hidden_test.go",
    hidden="""\
package export

import (
	"strings"
	"testing"

	"example.com/timesheet/sheet"
)

func TestHidden(t *testing.T) {
	s, err := sheet.Read(strings.NewReader("2024-03-01 9:00-12:30 garden trees\\n"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Markdown(&b, s); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(b.String(), "| 2024-03-01 | garden | 3:30 | trees |\\n") {
		t.Error(b.String())
	}
	if !strings.HasPrefix(b.String(), "| day | project | hours | notes |\\n|") {
		t.Error(b.String())
	}
	b.Reset()
	row := "2024-03-01,garden,210,trees"
	if err := CSV(&b, s); err != nil || !strings.Contains(b.String(), row) {
		t.Error(b.String(), err)
	}
	if !strings.HasPrefix(Summary(s), "garden") || !strings.HasSuffix(Summary(s), " 3:30\\n") {
		t.Error(Summary(s))
	}
	if Joined(", ", "a", "", "b") != "a, b" {
		t.Error("joined")
	}
}
""",
)

RENAME = Task(
    id="rename-method",
    language="go",
    text="""\
Rename the method `Sheet.Sum` in `sheet/sheet.go` to `Total`, and everything that calls it: \
`export/export.go`, `cmd/timesheet/main.go` and `TestSum` in `sheet/sheet_test.go`, which becomes \
`TestTotal`
  - `durations.Sum` keeps its name""",
    subject="sheet/sheet.go",
    shown_in_part=True,
    edits={
        "sheet/sheet.go": (
            (
                """\
// Sum returns how long all entries took together.
func (s *Sheet) Sum() time.Duration {
""",
                """\
// Total returns how long all entries took together.
func (s *Sheet) Total() time.Duration {
""",
            ),
        ),
        "export/export.go": (("durations.Clock(s.Sum())", "durations.Clock(s.Total())"),),
        "cmd/timesheet/main.go": (
            ("durations.Average(s.Sum(), s.Len())", "durations.Average(s.Total(), s.Len())"),
        ),
        "sheet/sheet_test.go": (
            (
                """\
func TestSum(t *testing.T) {
	if got := read(t).Sum(); got""",
                """\
func TestTotal(t *testing.T) {
	if got := read(t).Total(); got""",
            ),
        ),
    },
    lost=("Sheet.Sum", "TestSum"),
    place="sheet/hidden_test.go",
    hidden="""\
package sheet

import (
	"os"
	"strings"
	"testing"
	"time"

	"example.com/timesheet/durations"
)

func TestHidden(t *testing.T) {
	s := read(t)
	if s.Total() != 5*time.Hour+30*time.Minute || durations.Sum(1, 2) != 3 {
		t.Error("total")
	}
	if _, has := any(s).(interface{ Sum() time.Duration }); has {
		t.Error("the old name is still there")
	}
	if s.Of("garden").Len() != 2 || len(s.ByDay()) != 2 || len(s.Overlaps()) != 0 {
		t.Error("others")
	}
	tests, err := os.ReadFile("sheet_test.go")
	if err != nil || strings.Count(string(tests), "\\nfunc Test") != 5 {
		t.Error("tests")
	}
}
""",
)

MOVE = Task(
    id="move-file",
    language="go",
    text="""\
Rename the file `sheet/errors.go` to `sheet/line_error.go`; what is in it stays as it is""",
    subject="sheet/line_error.go",
    new={"sheet/line_error.go": project("go")["sheet/errors.go"]},
    gone=("sheet/errors.go",),
    place="sheet/hidden_test.go",
    hidden="""\
package sheet

import (
	"os"
	"testing"
)

func TestHidden(t *testing.T) {
	if _, err := os.Stat("errors.go"); err == nil {
		t.Error("the old file is still there")
	}
	if (&LineError{Line: 3, Err: os.ErrExist}).Error() != "line 3: file already exists" {
		t.Error("changed")
	}
}
""",
)

TASKS = (ADD, FIX, OPTION, MODULE, EXPORT, RENAME, MOVE)
