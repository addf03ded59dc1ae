package formats

import (
	"errors"
	"fmt"
	"os"
)

func formats(p *int, m map[string]int) error {
	const limit = 3
	switch len(m) {
	case 5:
		// want C: with p in fields
		return fmt.Errorf("bad: %p", p) // hot: fmt.Errorf fmt.errorf
	case 6:
		// want C: with len(m), 2 in fields
		return fmt.Errorf("bad: %[2]d %[1]d", len(m), 2) // hot: fmt.Errorf fmt.errorf
	case 7:
		// want C: with 7 in fields
		return fmt.Errorf("bad: %d", 7) // hot: fmt.Errorf fmt.errorf
	case 8:
		// want C: with errors.ErrUnsupported, os.ErrExist in fields
		return fmt.Errorf("bad: %w, %w", errors.ErrUnsupported, os.ErrExist) // hot: fmt.Errorf fmt.errorf
	}
	// want B: with limit, len(m) in fields
	return fmt.Errorf("more than %d: %d", limit, len(m)) // hot: fmt.Errorf fmt.errorf
}
