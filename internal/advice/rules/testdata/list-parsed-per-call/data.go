package data

import (
	"net"
	"strings"
)

// networks parses what it is asked to parse.
func networks(texts []string) (all []*net.IPNet) {
	for _, t := range texts {
		_, n, _ := net.ParseCIDR(t) // hot: net.ParseCIDR
		all = append(all, n)
	}
	return all
}

// any asks of something that is new each time.
func any(text string) bool {
	lines := strings.Split(text, "\n")
	for _, line := range lines {
		if len(strings.Fields(line)) > 3 { // hot: strings.Fields
			return true
		}
	}
	return false
}

// both depends on what is asked.
func both(names []string, sep string) bool {
	for _, n := range names {
		if len(strings.Split(n, sep)) > 1 { // hot: strings.Split
			return true
		}
	}
	return false
}
