package sheet

import (
	"errors"
	"strings"
	"testing"
	"time"
)

const text = `
# March
2024-03-01 9:00-12:00 garden planted two trees
2024-03-01 13:00-14:30 server moved the database
2024-03-02 10:00-11:00 garden watered them
`

func read(t *testing.T) *Sheet {
	t.Helper()
	s, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRead(t *testing.T) {
	if got := read(t).Len(); got != 3 {
		t.Errorf("%d entries", got)
	}
}

func TestReadNamesTheLine(t *testing.T) {
	_, err := Read(strings.NewReader("\nnonsense\n"))
	var wrong *LineError
	if !errors.As(err, &wrong) || wrong.Line != 2 {
		t.Errorf("err is %v", err)
	}
}

func TestSum(t *testing.T) {
	if got := read(t).Sum(); got != 5*time.Hour+30*time.Minute {
		t.Errorf("sum is %v", got)
	}
}

func TestByProject(t *testing.T) {
	if got := read(t).ByProject()["garden"]; got != 4*time.Hour {
		t.Errorf("garden is %v", got)
	}
}

func TestProjects(t *testing.T) {
	if got := strings.Join(read(t).Projects(), " "); got != "garden server" {
		t.Errorf("projects are %s", got)
	}
}
