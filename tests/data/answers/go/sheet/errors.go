package sheet

import "fmt"

// LineError says in which line something is wrong.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string {
	return fmt.Sprintf("line %d: %v", e.Line, e.Err)
}

// Unwrap returns what is wrong.
func (e *LineError) Unwrap() error {
	return e.Err
}
