package empty

import "fmt"

// Pointers to such an error may be equal, those from fmt.Errorf are not.
func empty() error {
	var none [0]int
	var nothing struct{}
	// want C: with none, nothing in fields
	return fmt.Errorf("bad: %v %v", none, nothing) // hot: fmt.Errorf fmt.errorf
}
