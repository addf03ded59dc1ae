package texts

import (
	"math/big"
	"net"
	"net/url"
	"path"
	"strings"
)

func all(list string, check func(string) error) ([]string, error) {
	// want C: Where most texts are a single part
	parts := strings.Split(list, "|") // hot: strings.Split strings.genSplit
	for _, p := range parts {
		if err := check(p); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

func put(b []byte, ip net.IP, n *big.Int) int {
	// want C: AppendText
	text, _ := ip.MarshalText() // hot: net.IP.MarshalText
	at := copy(b, text)
	// want C: Append puts the same into a buffer
	return at + copy(b[at:], n.String()) // hot: math/big.(*Int).String math/big.(*Int).Text
}

func route(pattern, text string) (bool, error) {
	// want C: where the same texts come again
	u, err := url.Parse(text) // hot: net/url.Parse net/url.parse
	if err != nil {
		return false, err
	}
	// want C: compare first what is fixed
	return path.Match(pattern, u.Path) // hot: path.Match path.scanChunk
}
