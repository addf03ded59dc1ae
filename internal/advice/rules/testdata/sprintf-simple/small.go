package small

import "fmt"

func address(a, b int, name string) (string, string) {
	// want C: It allocates the string alone
	s := fmt.Sprintf("%d.%d", a, b) // alloc: fmt.Sprintf
	// want A: fmt.Sprintf
	return s, fmt.Sprintf("%s/%s", name, s) // alloc: fmt.Sprintf
}
