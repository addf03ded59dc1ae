package local

import "fmt"

// both use one variable: the first error is only returned, not copied to a local variable.
func both(a, b int) error {
	if a < 0 {
		// want B: allocates the same error
		err := fmt.Errorf("no such number") // hot: fmt.Errorf
		return err
	}
	if b < 0 {
		// want B: allocates the same error
		return fmt.Errorf("no such number") // hot: fmt.Errorf
	}
	return nil
}

func setAgain(a int) error {
	// want B: allocates the same error
	err := fmt.Errorf("not set") // hot: fmt.Errorf
	if a > 0 {
		err = nil
	}
	return err
}
