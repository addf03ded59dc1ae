package calls

import (
	"container/heap"
	"container/list"
	"encoding/base64"
	"fmt"
	"math"
	"net"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"
)

func point(text string) (x, y int, err error) {
	// want C: strings.Cut and package strconv
	_, err = fmt.Sscanf(text, "%d,%d", &x, &y) // hot: fmt.Sscanf fmt.Fscanf
	return x, y, err
}

func tag(name string) string {
	// want C: Convert it once
	return "tag." + strings.ToLower(name) // hot: strings.ToLower
}

func header(at time.Time) (string, string) {
	// want C: ask once
	host, _ := os.Hostname() // hot: os.Hostname os.hostname
	// want C: AppendFormat
	return host, at.Format(time.RFC3339) // hot: time.Time.Format time.Time.AppendFormat
}

func private(text string, scale int) (bool, float64) {
	// want C: net/netip
	ip := net.ParseIP(text) // hot: net.ParseIP
	// want C: and powers of 10 as a table
	return ip.IsPrivate(), 1 / math.Pow(10, float64(scale)) // hot: math.Pow math.pow
}

func words(text string) (n int) {
	for _, r := range text {
		// want C: below 0x80
		if unicode.Is(unicode.Han, r) { // hot: unicode.Is unicode.is16
			n++
		}
	}
	return n
}

func push(h heap.Interface, n int, b []byte) string {
	// want C: a heap written for the type avoids both
	heap.Push(h, n) // hot: container/heap.Push container/heap.up
	// want C: encode into an array
	return base64.StdEncoding.EncodeToString(b) // hot: encoding/base64.(*Encoding).EncodeToString
}

func fold(text []rune) {
	for i, r := range text {
		// want C: If most of the text is ASCII
		text[i] = unicode.ToLower(r) // hot: unicode.ToLower unicode.To
	}
}

func keep(all [][]int, one []int) [][]int {
	// want C: needs no copy
	return append(all, slices.Clone(one)) // hot: slices.Clone[...]
}

func queue(l *list.List, n int) {
	// want C: and usually another object to box the value in any
	l.PushBack(n) // hot: container/list.(*List).PushBack
}
