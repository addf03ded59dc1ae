package kept

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

func returned(given []string) (string, []string) {
	var names []string
	for _, g := range given {
		names = append(names, g+"!")
	}
	return strings.Join(names, " "), names // hot: strings.Join
}

func sorted(given []string) string {
	var names []string
	for _, g := range given {
		names = append(names, g+"!")
	}
	sort.Strings(names)
	return strings.Join(names, " ") // hot: strings.Join
}

func ranged(given []string) (string, int) {
	var names []string
	for _, g := range given {
		names = append(names, g+"!")
	}
	n := 0
	for _, name := range names {
		n += len(name)
	}
	return strings.Join(names, " "), n // hot: strings.Join
}

func stored(given []string, in *struct{ names []string }) string {
	var names []string
	for _, g := range given {
		names = append(names, g+"!")
	}
	in.names = names
	return strings.Join(names, " ") // hot: strings.Join
}

func pointed(given []string, each func(*string)) string {
	names := make([]string, len(given))
	for i, g := range given {
		names[i] = g + "!"
		each(&names[i])
	}
	return strings.Join(names, " ") // hot: strings.Join
}

func turned(given []string) string {
	var names []string
	for _, g := range given {
		names = append(names, g+"!")
	}
	for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
		names[i], names[j] = names[j], names[i]
	}
	return strings.Join(names, "/") // hot: strings.Join
}

func parallel(given []string) string {
	names := make([]string, len(given))
	var all sync.WaitGroup
	for i, g := range given {
		all.Go(func() { names[i] = g + "!" })
	}
	all.Wait()
	return strings.Join(names, " ") // hot: strings.Join
}

// On the stack, of parts that are there.
func few(a, b, c string) string {
	names := []string{a, b, c}
	return strings.Join(names, " ") // hot: strings.Join
}

func given(names []string) string {
	parts := strings.Fields(names[0])
	return strings.Join(names, " ") + strings.Join(parts, "") // hot: strings.Join
}

func failed(given []string) error {
	var names []string
	for _, g := range given {
		names = append(names, g+"!")
	}
	return fmt.Errorf("%s", strings.Join(names, ", ")) // hot: strings.Join
}
