package durations

import (
	"testing"
	"time"
)

func TestHours(t *testing.T) {
	if got := Hours(90 * time.Minute); got != 1.5 {
		t.Errorf("got %v", got)
	}
}

func TestClock(t *testing.T) {
	if got := Clock(8*time.Hour + 5*time.Minute); got != "8:05" {
		t.Errorf("got %s", got)
	}
}

func TestRoundToQuarters(t *testing.T) {
	if got := RoundToQuarters(52 * time.Minute); got != 45*time.Minute {
		t.Errorf("got %v", got)
	}
}

func TestAverage(t *testing.T) {
	if got := Average(time.Hour, 4); got != 15*time.Minute {
		t.Errorf("got %v", got)
	}
	if got := Average(time.Hour, 0); got != 0 {
		t.Errorf("got %v", got)
	}
}
