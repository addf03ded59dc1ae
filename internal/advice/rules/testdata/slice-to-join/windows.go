package windows

import (
	"fmt"
	"strings"
)

// Windows share no beginning.
func windows(parts []string, n int) []string {
	var all []string
	for i := 0; i+n <= len(parts); i++ {
		all = append(all, strings.Join(parts[i:i+n], " ")) // hot: strings.Join
	}
	return all
}

// Each step has a list of its own.
func lists(lists [][]string) []string {
	var all []string
	for i, l := range lists {
		all = append(all, strings.Join(l[:i], " "))        // hot: strings.Join
		all = append(all, strings.Join(lists[i][:i], " ")) // hot: strings.Join
	}
	return all
}

// The rest is joined once.
func rest(parts []string) (string, error) {
	for i, p := range parts {
		if p == "--" {
			return strings.Join(parts[i+1:], " "), nil // hot: strings.Join
		}
		if p == "" {
			return "", fmt.Errorf("nothing after %s", strings.Join(parts[:i], " ")) // hot: strings.Join
		}
	}
	text := ""
	for i, p := range parts {
		if p == "-" {
			text = strings.Join(parts[i:], " ") // hot: strings.Join
			break
		}
	}
	return text, nil
}
