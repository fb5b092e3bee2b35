package entry

import (
	"errors"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	got, err := Parse("2024-03-01 9:00-17:30 garden planted two trees")
	if err != nil {
		t.Fatal(err)
	}
	if got.Duration() != 8*time.Hour+30*time.Minute {
		t.Errorf("duration is %v", got.Duration())
	}
	if got.Project != "garden" || got.Notes != "planted two trees" {
		t.Errorf("got %+v", got)
	}
}

func TestParseRefusesShortLines(t *testing.T) {
	if _, err := Parse("2024-03-01 9:00-10:00"); !errors.Is(err, ErrMalformed) {
		t.Errorf("err is %v", err)
	}
}

func TestParseRefusesWrongTimes(t *testing.T) {
	if _, err := Parse("2024-03-01 9-10 garden"); !errors.Is(err, ErrMalformed) {
		t.Errorf("err is %v", err)
	}
}
