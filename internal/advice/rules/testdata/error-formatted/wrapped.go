package wrapped

import (
	"fmt"
	"os"
	"time"
)

const most = 10

type kind uint8

func (k kind) String() string { return "kind" }

func read(name string) error {
	_, err := os.ReadFile(name)
	if err != nil {
		// want B: %T and %#v do. Also check that the text of err doesn't change
		return fmt.Errorf("%s: %w", name, err) // hot: fmt.Errorf fmt.errorf
	}
	// want B: that err is never nil
	err = fmt.Errorf("stat %s: %w", name, err) // hot: fmt.Errorf fmt.errorf
	return err
}

func limits(n int, wait time.Duration, k kind, b []byte) (int, error) {
	if n > most {
		// want B: An error type with n, most, 100*2 in fields
		return n, fmt.Errorf("too many: %d > %d, %d%%", n, most, 100*2) // hot: fmt.Errorf fmt.errorf
	}
	if n < 0 {
		// want B: An error type with k, wait, b, k
		err := fmt.Errorf("%v after %v: %q (%d)", k, wait, b, k) // hot: fmt.Errorf fmt.errorf
		return n, err
	}
	e := n + 1
	// want B: An error type with e
	return e, fmt.Errorf("type %d %d", e, most) // hot: fmt.Errorf fmt.errorf
}
