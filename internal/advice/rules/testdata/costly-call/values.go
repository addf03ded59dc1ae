package calls

import (
	"container/list"
	"crypto/rand"
	"maps"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"time"
)

func numbers(x float64, text string) (string, int, []byte) {
	// want C: append to a buffer with the Append function of strconv
	shown := strconv.FormatFloat(x, 103, -1, 64) // hot: strconv.FormatFloat
	// want C: append to a buffer with the Append function of strconv
	shown += strconv.Quote(text) // hot: strconv.Quote
	// want C: more than needed big.NewInt allocates a number each time
	n := big.NewInt(10) // hot: math/big.NewInt
	// want C: than needed (*big.Int).Bytes allocates a slice each time
	b := n.Bytes() // hot: math/big.(*Int).Bytes
	// want C: read many bytes at once through a bufio.Reader with a lock
	rand.Read(b) // hot: crypto/rand.Read
	// want C: reads the clock
	return shown, time.Now().Nanosecond(), b // hot: time.Now
}

func found(xs []int, x int, m map[string]int) (int, []int, map[string]int) {
	// want C: slices.BinarySearch
	at, _ := sort.Find(len(xs), func(i int) int { return x - xs[i] }) // hot: sort.Find
	// want C: needs no copy
	m = maps.Clone(m) // hot: maps.Clone[...]
	// want C: needs no copy
	return at, slices.Clone(xs), m // hot: slices.Clone[...]
}

func first(l *list.List, n int) {
	// want C: and usually another object to box the value in any
	l.PushFront(n) // hot: container/list.(*List).PushFront
}
