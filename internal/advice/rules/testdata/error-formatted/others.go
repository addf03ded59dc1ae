package others

import "fmt"

type counted int

var count int

func (c counted) String() string { count++; return "counted" }

// These values may change before the text is read, or have no name outside of the function.
func others[T any](m map[string]int, c counted, x T, v any, stack ...any) error {
	type local int
	switch len(m) {
	case 0:
		// want C: with m in fields
		return fmt.Errorf("bad: %v", m) // hot: fmt.Errorf fmt.errorf
	case 1:
		// want C: with c in fields
		return fmt.Errorf("bad: %v", c) // hot: fmt.Errorf fmt.errorf
	case 2:
		// want C: with x in fields
		return fmt.Errorf("bad: %v", x) // hot: fmt.Errorf fmt.errorf
	case 3:
		// want C: with v in fields
		return fmt.Errorf("bad: %v", v) // hot: fmt.Errorf fmt.errorf
	case 4:
		// want C: with local(len(m)) in fields
		return fmt.Errorf("bad: %v", local(len(m))) // hot: fmt.Errorf fmt.errorf
	}
	return nil
}
