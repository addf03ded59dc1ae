package length

import "fmt"

func parse(s string) (n int, err error) {
	if len(s) != 36 {
		// want B: An error type with len(s) in fields
		return 0, fmt.Errorf("invalid length: %d", len(s)) // hot: fmt.Errorf fmt.errorf
	}
	for i, c := range s {
		if c == '?' {
			// want B: is formatted even if no one reads it fmt.Errorf formats c
			return 0, fmt.Errorf("invalid %c at %d", c, i) // hot: fmt.Errorf fmt.errorf
		}
	}
	return len(s), nil
}
