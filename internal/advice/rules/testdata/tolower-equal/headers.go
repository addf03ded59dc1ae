package headers

import (
	"bytes"
	"strings"
)

func same(a, b string) bool {
	// want B: EqualFold doesn't copy
	return strings.ToLower(a) == strings.ToLower(b) // hot: strings.ToLower strings.Map
}

func keepAlive(h map[string]string) bool {
	// want B: EqualFold doesn't copy
	if strings.ToLower(h["Connection"]) != "keep-alive" { // hot: strings.ToLower
		return false
	}
	// want A: EqualFold doesn't copy, and stops at the first difference. (end)
	return "UTF-8" == strings.ToUpper(h["Charset"]) && len(h) > 1 // hot: strings.ToUpper
}

func tag(name []byte) bool {
	// want B: EqualFold doesn't copy
	return !bytes.Equal(bytes.ToLower(name), []byte("script")) // hot: bytes.ToLower
}

func kind(name string) int {
	// want C: most likely cases first
	switch strings.ToLower(name) { // hot: strings.ToLower
	case "get":
		return 1
	}
	return 0
}
