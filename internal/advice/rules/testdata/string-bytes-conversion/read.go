package read

import (
	"io"
	"os"
)

func texts(names []string) (all []string, err error) {
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		// want C: type string(b) copies everything that os.ReadFile has read
		all = append(all, string(b)) // alloc: 4096
	}
	return all, nil
}

func text(r io.Reader) (string, error) {
	b, err := io.ReadAll(r)
	// want C: type string(b) copies everything that io.ReadAll has read
	return string(b), err // alloc: 4096
}

// The bytes are needed, too; nothing is copied; these were not read.
func both(name string) (string, []byte) {
	b, _ := os.ReadFile(name)
	return string(b), b // alloc: 4096
}

func known(name string, all map[string]int) int {
	b, _ := os.ReadFile(name)
	return all[string(b)] // alloc: 4096
}

func other(b []byte) string {
	return string(b) // alloc: 4096
}
