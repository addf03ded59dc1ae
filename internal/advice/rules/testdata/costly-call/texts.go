package texts

import (
	"net"
	"net/url"
	"path"
	"strings"
)

func all(list string, check func(string) error) ([]string, error) {
	// want C: If most texts have a single part
	parts := strings.Split(list, "|") // hot: strings.Split strings.genSplit
	for _, p := range parts {
		if err := check(p); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

func put(b []byte, ip net.IP, pair string) (int, string) {
	// want C: append to a buffer with AppendTo of net/netip
	text, _ := ip.MarshalText() // hot: net.IP.MarshalText
	// want C: Cut splits a text in two without a slice
	parts := strings.SplitN(pair, "=", 2) // hot: strings.SplitN strings.genSplit
	return copy(b, text), parts[len(parts)-1]
}

func route(pattern, text string) (bool, error) {
	// want C: if texts repeat
	u, err := url.Parse(text) // hot: net/url.Parse net/url.parse
	if err != nil {
		return false, err
	}
	// want C: first compare the fixed text at its start or end
	return path.Match(pattern, u.Path) // hot: path.Match path.scanChunk
}
