package trusted

import (
	"net"
	"strings"
)

func Trusted(ip net.IP, proxies []string) bool {
	for _, p := range proxies {
		// want C: elements of proxies and runs for all of them on each call
		_, network, err := net.ParseCIDR(p) // hot: net.ParseCIDR
		if err == nil && network.Contains(ip) {
			return true
		}
	}
	return false
}

type filter struct{ patterns []string }

func (f *filter) match(name string) (bool, error) {
	parts := strings.Split(name, "/")
	for _, p := range f.patterns {
		// want C: parse it once, into a type with a method for this check
		if fits(preparePattern(p), parts) { // hot: other.Split
			return true, nil
		}
	}
	return false, nil
}

func preparePattern(p string) []string { return strings.Split(p, "/") }

func fits(pattern, parts []string) bool { return len(pattern) == len(parts) }
