package told

import (
	"fmt"
	"os"
	"strconv"
)

func read(text string) (int, error) {
	n, err := strconv.Atoi(text) // hot: strconv.Atoi strconv.syntaxError
	if err != nil {
		return 0, fmt.Errorf("read: %w", err) // hot: fmt.Errorf
	}
	return n, nil
}

func total(texts []string) (sum int) {
	for _, t := range texts {
		n, err := read(t) // hot: runtime.newobject
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		m, _ := quick(t)        // hot: runtime.newobject
		k, _ := strconv.Atoi(t) // hot: strconv.Atoi
		sum += n + m + k
	}
	return sum
}

func quick(t string) (int, error) { return len(t), nil }
