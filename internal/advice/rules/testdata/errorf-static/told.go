package told

import (
	"errors"
	"fmt"
)

var errEmpty = errors.New("empty")

func check(n int, text string) error {
	if n < 0 {
		return fmt.Errorf("%d is negative", n) // hot: fmt.Errorf
	}
	if text == "" {
		return fmt.Errorf("check: %w", errEmpty) // hot: fmt.Errorf
	}
	if n > 9 {
		panic(errors.New("too many")) // hot: errors.New
	}
	return errors.New("bad " + text) // hot: errors.New
}

func missing() error {
	return fmt.Errorf("no %s") // hot: fmt.Errorf
}
