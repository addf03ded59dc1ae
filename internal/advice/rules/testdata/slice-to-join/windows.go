package windows

import "strings"

// Windows share no beginning.
func windows(parts []string, n int) []string {
	var all []string
	for i := 0; i+n <= len(parts); i++ {
		all = append(all, strings.Join(parts[i:i+n], " ")) // hot: strings.Join
	}
	return all
}

// Each step has a list of its own.
func lists(lists [][]string, n int) []string {
	var all []string
	for _, l := range lists {
		all = append(all, strings.Join(l[:n], " ")) // hot: strings.Join
	}
	return all
}
