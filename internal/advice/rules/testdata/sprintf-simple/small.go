package small

import "fmt"

func address(a, b int, name string) (string, string) {
	// want A: It doesn't allocate for numbers below 256
	s := fmt.Sprintf("%d.%d", a, b) // alloc: fmt.Sprintf
	// want A: fmt.Sprintf
	return s, fmt.Sprintf("%s/%s", name, s) // alloc: fmt.Sprintf
}

func dotted(ip [4]byte, name string) (string, string) {
	// want A: It doesn't allocate for numbers below 256
	s := fmt.Sprintf("%d.%d.%d.%d", ip[0], ip[1], ip[2], ip[3]) // hot: fmt.Sprintf
	// want A: makes the same string
	return s, fmt.Sprintf("%s/%d", name, ip[3]) // hot: fmt.Sprintf
}

// parsing has the name of a package in a text.
func parsing(s string) string {
	// want A: makes the same string
	return fmt.Sprintf("strconv.Atoi: parsing %s: no number", s) // hot: fmt.Sprintf
}
