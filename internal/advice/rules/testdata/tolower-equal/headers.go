package headers

import (
	"bytes"
	"strings"
)

func same(a, b string) bool {
	// want B: EqualFold compares
	return strings.ToLower(a) == strings.ToLower(b) // hot: strings.ToLower strings.Map
}

func keepAlive(h map[string]string) bool {
	// want B: EqualFold compares
	if strings.ToLower(h["Connection"]) != "keep-alive" { // hot: strings.ToLower
		return false
	}
	// want B: EqualFold compares
	return "UTF-8" == strings.ToUpper(h["Charset"]) && len(h) > 1 // hot: strings.ToUpper
}

func tag(name []byte) bool {
	// want B: EqualFold compares
	return !bytes.Equal(bytes.ToLower(name), []byte("script")) // hot: bytes.ToLower
}

func kind(name string) int {
	// want C: the likely cases
	switch strings.ToLower(name) { // hot: strings.ToLower
	case "get":
		return 1
	}
	return 0
}
