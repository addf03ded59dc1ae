//go:build unix

package rules

//lint:file-ignore SA1019 what is measured is what is better not used
//lint:file-ignore SA6005 the same

import (
	"bufio"
	"bytes"
	"container/heap"
	"container/list"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"hash/crc64"
	"io"
	"io/fs"
	"io/ioutil"
	"maps"
	"math"
	"math/big"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
)

// What benchmarks make goes here, or the compiler would leave it out.
var (
	madeText  string
	madeBytes []byte
	madeInt   int
	madeBool  bool
	madeFloat float64
	madeAny   any
	madeInts  []int
)

// A versus is a function of the table as it is used, against what is better.
type versus struct{ used, better func() }

// costlyAndBetter has one for each row of facts.CostlyFunctions: better is what insteadOf says.
func costlyAndBetter(b *testing.B) map[string]versus {
	all := make(map[string]versus)
	for _, some := range []map[string]versus{scanning(), letters(), system(b), files(b), codes(), addressesShown(), parted(), picked(), numbers(), kept(), heapsOf(), requests(), documents(), times()} {
		maps.Copy(all, some)
	}
	return all
}

func scanning() map[string]versus {
	const pair, line = "123,456", "123 456\n"
	r, br := strings.NewReader(line), bufio.NewReader(nil)
	parse := func(text, sep string) func() {
		return func() {
			x, y, _ := strings.Cut(text, sep)
			n, _ := strconv.Atoi(x)
			m, _ := strconv.Atoi(strings.TrimSuffix(y, "\n"))
			madeInt = n + m
		}
	}
	read := func() {
		r.Reset(line)
		br.Reset(r)
		text, _ := br.ReadSlice('\n')
		x, y, _ := bytes.Cut(text, []byte(" "))
		n, _ := strconv.Atoi(string(x))
		m, _ := strconv.Atoi(string(bytes.TrimSuffix(y, []byte("\n"))))
		madeInt = n + m
	}
	var n, m int
	from := func(scan func()) func() { return func() { r.Reset(line); scan(); madeInt = n + m } }
	return map[string]versus{
		"fmt.Sscanf":    {from(func() { fmt.Sscanf(pair, "%d,%d", &n, &m) }), parse(pair, ",")},
		"fmt.Sscan":     {from(func() { fmt.Sscan(line, &n, &m) }), parse(line, " ")},
		"fmt.Sscanln":   {from(func() { fmt.Sscanln(line, &n, &m) }), parse(line, " ")},
		"fmt.Fscanf":    {from(func() { fmt.Fscanf(r, "%d %d\n", &n, &m) }), read},
		"fmt.Fscan":     {from(func() { fmt.Fscan(r, &n, &m) }), read},
		"fmt.Fscanln":   {from(func() { fmt.Fscanln(r, &n, &m) }), read},
		"math.Pow":      {func() { madeFloat = math.Pow(float64(n), 2) }, func() { madeFloat = float64(n) * float64(n) }},
		"io.CopyN":      {from(func() { n, _ := io.CopyN(io.Discard, r, 1); m = int(n) }), from(func() { c, _ := r.ReadByte(); m = int(c) })},
		"strings.Map":   {func() { madeText = strings.Map(printable, mixed) }, func() { madeBool = allPrintable(mixed) }},
		"bytes.Map":     {func() { madeBytes = bytes.Map(printable, mixedBytes) }, func() { madeBool = allPrintable(string(mixedBytes)) }},
		"strconv.Quote": {func() { madeText = strconv.Quote(mixed) }, func() { madeBytes = strconv.AppendQuote(madeBytes[:0], mixed) }},
	}
}

const mixed = "Content-Type of the Message"

var mixedBytes = []byte(mixed)

func printable(r rune) rune {
	if r < ' ' {
		return -1
	}
	return r
}

func allPrintable(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] >= 0x80 {
			return false
		}
	}
	return true
}

func letters() map[string]versus {
	other, otherBytes := strings.ToUpper(mixed), bytes.ToUpper(mixedBytes)
	fold := func() { madeBool = strings.EqualFold(mixed, other) }
	foldBytes := func() { madeBool = bytes.EqualFold(mixedBytes, otherBytes) }
	text := strings.Repeat(mixed, 4)
	// each goes through a text of ASCII characters, by a function or by comparisons.
	each := func(f func(r rune) rune) func() {
		return func() {
			n := rune(0)
			for _, r := range text {
				n += f(r)
			}
			madeInt = int(n)
		}
	}
	compared := func() {
		n := rune(0)
		for i := range len(text) {
			c := text[i]
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			n += rune(c)
		}
		madeInt = int(n)
	}
	asked := func(is func(r rune) bool) func() {
		return func() {
			n := 0
			for _, r := range text {
				if is(r) {
					n++
				}
			}
			madeInt = n
		}
	}
	ranges := []*unicode.RangeTable{unicode.Han, unicode.Hiragana}
	ascii := asked(func(r rune) bool { return r >= 0x80 && unicode.Is(unicode.Han, r) })
	return map[string]versus{
		"strings.ToLower":    {func() { madeBool = strings.ToLower(mixed) == strings.ToLower(other) }, fold},
		"strings.ToUpper":    {func() { madeBool = strings.ToUpper(mixed) == strings.ToUpper(other) }, fold},
		"strings.ToTitle":    {func() { madeBool = strings.ToTitle(mixed) == strings.ToTitle(other) }, fold},
		"strings.Title":      {func() { madeBool = strings.Title(mixed) == strings.Title(other) }, fold},
		"bytes.ToLower":      {func() { madeBool = bytes.Equal(bytes.ToLower(mixedBytes), bytes.ToLower(otherBytes)) }, foldBytes},
		"bytes.ToUpper":      {func() { madeBool = bytes.Equal(bytes.ToUpper(mixedBytes), bytes.ToUpper(otherBytes)) }, foldBytes},
		"unicode.ToLower":    {each(unicode.ToLower), compared},
		"unicode.ToUpper":    {each(unicode.ToUpper), compared},
		"unicode.SimpleFold": {each(unicode.SimpleFold), compared},
		"unicode.Is":         {asked(func(r rune) bool { return unicode.Is(unicode.Han, r) }), ascii},
		"unicode.In":         {asked(func(r rune) bool { return unicode.In(r, ranges...) }), ascii},
		"unicode.IsOneOf":    {asked(func(r rune) bool { return unicode.IsOneOf(ranges, r) }), ascii},
	}
}

// once has what a function returns asked for once.
func once[T any](ask func() T) versus {
	known := sync.OnceValue(ask)
	made := new(T)
	return versus{func() { *made = ask() }, func() { *made = known() }}
}

func system(b *testing.B) map[string]versus {
	b.Setenv("HONE_SETTING", "on")
	var memory runtime.MemStats
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	var pcs [64]uintptr
	return map[string]versus{
		"os.Hostname":                 once(func() string { s, _ := os.Hostname(); return s }),
		"os.Getwd":                    once(func() string { s, _ := os.Getwd(); return s }),
		"os.Executable":               once(func() string { s, _ := os.Executable(); return s }),
		"os.UserHomeDir":              once(func() string { s, _ := os.UserHomeDir(); return s }),
		"os/user.Current":             once(func() *user.User { u, _ := user.Current(); return u }),
		"os/exec.LookPath":            once(func() string { s, _ := exec.LookPath("go"); return s }),
		"net.Interfaces":              once(func() []net.Interface { all, _ := net.Interfaces(); return all }),
		"net.InterfaceAddrs":          once(func() []net.Addr { all, _ := net.InterfaceAddrs(); return all }),
		"runtime/debug.ReadBuildInfo": once(func() *debug.BuildInfo { info, _ := debug.ReadBuildInfo(); return info }),
		"os.Getenv":                   once(func() string { return os.Getenv("HONE_SETTING") }),
		"os.LookupEnv":                once(func() string { s, _ := os.LookupEnv("HONE_SETTING"); return s }),
		"runtime.ReadMemStats":        {func() { runtime.ReadMemStats(&memory) }, func() { metrics.Read(sample) }},
		"runtime/debug.Stack":         {func() { madeBytes = debug.Stack() }, func() { madeInt = runtime.Callers(1, pcs[:]) }},
	}
}

func files(b *testing.B) map[string]versus {
	dir := b.TempDir()
	for i := range 50 {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o666); err != nil {
			b.Fatal(err)
		}
	}
	known := map[string]any{dir: dir}
	keep := func(ask func() any) versus {
		return versus{func() { madeAny = ask() }, func() { madeAny = known[dir] }}
	}
	folder, name := "/usr/local/share", "notes.txt"
	joined := func() { madeText = folder + "/" + name }
	return map[string]versus{
		"os.Stat":                    keep(func() any { i, _ := os.Stat(dir); return i }),
		"os.Lstat":                   keep(func() any { i, _ := os.Lstat(dir); return i }),
		"path/filepath.EvalSymlinks": keep(func() any { s, _ := filepath.EvalSymlinks(dir); return s }),
		"path/filepath.Walk": {func() {
			filepath.Walk(dir, func(string, fs.FileInfo, error) error { madeInt++; return nil })
		}, func() {
			filepath.WalkDir(dir, func(string, fs.DirEntry, error) error { madeInt++; return nil })
		}},
		"io/ioutil.ReadDir":   {func() { madeAny, _ = ioutil.ReadDir(dir) }, func() { madeAny, _ = os.ReadDir(dir) }},
		"path.Join":           {func() { madeText = path.Join(folder, name) }, joined},
		"path/filepath.Join":  {func() { madeText = filepath.Join(folder, name) }, joined},
		"path/filepath.Abs":   {func() { madeText, _ = filepath.Abs(name) }, func() { madeText = dir + "/" + name }},
		"path.Match":          {func() { madeBool, _ = path.Match("*.txt", name) }, func() { madeBool = strings.HasSuffix(name, ".txt") }},
		"path/filepath.Match": {func() { madeBool, _ = filepath.Match("*.txt", name) }, func() { madeBool = strings.HasSuffix(name, ".txt") }},
	}
}

func codes() map[string]versus {
	raw := make([]byte, 32)
	hexed, based := hex.EncodeToString(raw), base64.StdEncoding.EncodeToString(raw)
	hexBytes, basedBytes := []byte(hexed), []byte(based)
	var to [64]byte
	small, large := crc32.MakeTable(0xD5828281), crc64.MakeTable(0xD800000000000001)
	return map[string]versus{
		"encoding/hex.EncodeToString":                {func() { madeText = hex.EncodeToString(raw) }, func() { madeInt = hex.Encode(to[:], raw) }},
		"encoding/hex.DecodeString":                  {func() { madeBytes, _ = hex.DecodeString(hexed) }, func() { madeInt, _ = hex.Decode(to[:], hexBytes) }},
		"(*encoding/base64.Encoding).EncodeToString": {func() { madeText = base64.StdEncoding.EncodeToString(raw) }, func() { base64.StdEncoding.Encode(to[:], raw) }},
		"(*encoding/base64.Encoding).DecodeString":   {func() { madeBytes, _ = base64.StdEncoding.DecodeString(based) }, func() { madeInt, _ = base64.StdEncoding.Decode(to[:], basedBytes) }},
		"hash/crc32.MakeTable":                       {func() { madeInt = int(crc32.Checksum(raw, crc32.MakeTable(0xD5828281))) }, func() { madeInt = int(crc32.Checksum(raw, small)) }},
		"hash/crc64.MakeTable":                       {func() { madeInt = int(crc64.Checksum(raw, crc64.MakeTable(0xD800000000000001))) }, func() { madeInt = int(crc64.Checksum(raw, large)) }},
	}
}

func addressesShown() map[string]versus {
	const text, block = "192.168.10.20", "10.20.0.0/16"
	ip, addr := net.ParseIP(text), netip.MustParseAddr(text)
	_, one, _ := net.ParseCIDR(block)
	_, other, _ := net.ParseCIDR(block)
	var buf [64]byte
	appended := func() { madeBytes = addr.AppendTo(buf[:0]) }
	var asAddr netip.Addr
	var asPrefix netip.Prefix
	return map[string]versus{
		"net.ParseIP":                  {func() { ip = net.ParseIP(text) }, func() { asAddr, _ = netip.ParseAddr(text); madeBool = asAddr.IsValid() }},
		"net.ParseCIDR":                {func() { _, one, _ = net.ParseCIDR(block) }, func() { asPrefix, _ = netip.ParsePrefix(block); madeBool = asPrefix.IsValid() }},
		"(net.IP).String":              {func() { madeText = ip.String() }, appended},
		"(net.IP).MarshalText":         {func() { madeBytes, _ = ip.MarshalText() }, func() { madeBytes, _ = ip.AppendText(buf[:0]) }},
		"(net/netip.Addr).String":      {func() { madeText = addr.String() }, appended},
		"(net/netip.Addr).MarshalText": {func() { madeBytes, _ = addr.MarshalText() }, appended},
		"(*net.IPNet).String":          {func() { madeBool = one.String() == other.String() }, func() { madeBool = one.IP.Equal(other.IP) && bytes.Equal(one.Mask, other.Mask) }},
	}
}

func parted() map[string]versus {
	const list, pair, words = "alpha,beta,gamma,delta", "key=value", "the quick brown fox jumps"
	listBytes, pairBytes, wordBytes := []byte(list), []byte(pair), []byte(words)
	comma, equals := []byte(","), []byte("=")
	replacer := strings.NewReplacer("a", "4", "e", "3", "o", "0")
	return map[string]versus{
		"strings.Split": {func() {
			for _, part := range strings.Split(list, ",") {
				madeInt += len(part)
			}
		}, func() {
			for part := range strings.SplitSeq(list, ",") {
				madeInt += len(part)
			}
		}},
		"bytes.Split": {func() {
			for _, part := range bytes.Split(listBytes, comma) {
				madeInt += len(part)
			}
		}, func() {
			for part := range bytes.SplitSeq(listBytes, comma) {
				madeInt += len(part)
			}
		}},
		"strings.SplitN": {func() { madeText = strings.SplitN(pair, "=", 2)[1] }, func() { _, madeText, _ = strings.Cut(pair, "=") }},
		"bytes.SplitN":   {func() { madeBytes = bytes.SplitN(pairBytes, equals, 2)[1] }, func() { _, madeBytes, _ = bytes.Cut(pairBytes, equals) }},
		"strings.Fields": {func() {
			for _, word := range strings.Fields(words) {
				madeInt += len(word)
			}
		}, func() {
			for word := range strings.FieldsSeq(words) {
				madeInt += len(word)
			}
		}},
		"bytes.Fields": {func() {
			for _, word := range bytes.Fields(wordBytes) {
				madeInt += len(word)
			}
		}, func() {
			for word := range bytes.FieldsSeq(wordBytes) {
				madeInt += len(word)
			}
		}},
		"strings.FieldsFunc": {func() {
			for _, word := range strings.FieldsFunc(words, unicode.IsSpace) {
				madeInt += len(word)
			}
		}, func() { eachWord(words) }},
		"bytes.FieldsFunc": {func() {
			for _, word := range bytes.FieldsFunc(wordBytes, unicode.IsSpace) {
				madeInt += len(word)
			}
		}, func() { eachWord(words) }},
		"strings.Replace": {func() {
			madeText = strings.Replace(strings.Replace(strings.Replace(words, "a", "4", -1), "e", "3", -1), "o", "0", -1)
		}, func() { madeText = replacer.Replace(words) }},
		"strings.ReplaceAll": {func() {
			madeText = strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(words, "a", "4"), "e", "3"), "o", "0")
		}, func() { madeText = replacer.Replace(words) }},
	}
}

// eachWord goes from one space to the next.
func eachWord(words string) {
	for words != "" {
		word, rest, _ := strings.Cut(words, " ")
		madeInt += len(word)
		words = rest
	}
}

func picked() map[string]versus {
	const text, set = "  the quick brown fox jumps over it, at last!  ", "!?"
	b := []byte(text)
	in := func(r rune) bool { return r == '!' || r == '?' }
	// cut takes off spaces by a loop over the bytes.
	cut := func(left, right bool) func() {
		return func() {
			from, to := 0, len(b)
			for left && from < to && (b[from] == ' ' || b[from] == '\t') {
				from++
			}
			for right && from < to && (b[to-1] == ' ' || b[to-1] == '\t') {
				to--
			}
			madeBytes = b[from:to]
		}
	}
	return map[string]versus{
		"strings.IndexFunc":     {func() { madeInt = strings.IndexFunc(text, in) }, func() { madeInt = strings.IndexAny(text, set) }},
		"strings.ContainsFunc":  {func() { madeBool = strings.ContainsFunc(text, in) }, func() { madeBool = strings.ContainsAny(text, set) }},
		"strings.TrimFunc":      {func() { madeText = strings.TrimFunc(text, unicode.IsSpace) }, cut(true, true)},
		"strings.TrimLeftFunc":  {func() { madeText = strings.TrimLeftFunc(text, unicode.IsSpace) }, cut(true, false)},
		"strings.TrimRightFunc": {func() { madeText = strings.TrimRightFunc(text, unicode.IsSpace) }, cut(false, true)},
		"bytes.IndexFunc":       {func() { madeInt = bytes.IndexFunc(b, in) }, func() { madeInt = bytes.IndexAny(b, set) }},
		"bytes.ContainsFunc":    {func() { madeBool = bytes.ContainsFunc(b, in) }, func() { madeBool = bytes.ContainsAny(b, set) }},
		"bytes.TrimFunc":        {func() { madeBytes = bytes.TrimFunc(b, unicode.IsSpace) }, cut(true, true)},
		"bytes.TrimLeftFunc":    {func() { madeBytes = bytes.TrimLeftFunc(b, unicode.IsSpace) }, cut(true, false)},
		"bytes.TrimRightFunc":   {func() { madeBytes = bytes.TrimRightFunc(b, unicode.IsSpace) }, cut(false, true)},
	}
}

func numbers() map[string]versus {
	ten, n := big.NewInt(10), new(big.Int).Lsh(big.NewInt(1), 200)
	var to [32]byte
	xs := make([]int, 1000)
	for i := range xs {
		xs[i] = 3 * i
	}
	search := func() { // the loop itself
		from, to := 0, len(xs)
		for from < to {
			if i := int(uint(from+to) >> 1); xs[i] < 1234 {
				from = i + 1
			} else {
				to = i
			}
		}
		madeInt = from
	}
	const blanks = "                                                                "
	var id [16]byte
	var lock sync.Mutex
	random := bufio.NewReaderSize(rand.Reader, 4096)
	return map[string]versus{
		"strconv.ParseInt":      {func() { n, _ := strconv.ParseInt("12345678", 10, 64); madeInt = int(n) }, func() { madeInt, _ = strconv.Atoi("12345678") }},
		"strconv.FormatFloat":   {func() { madeText = strconv.FormatFloat(1234.5, 'g', -1, 64) }, func() { madeBytes = strconv.AppendFloat(madeBytes[:0], 1234.5, 'g', -1, 64) }},
		"math/big.NewInt":       {func() { madeAny = big.NewInt(int64(len(xs))) }, func() { madeAny = ten }},
		"(*math/big.Int).Bytes": {func() { madeBytes = n.Bytes() }, func() { madeBytes = n.FillBytes(to[:]) }},
		"sort.Find":             {func() { madeInt, _ = sort.Find(len(xs), func(i int) int { return 1234 - xs[i] }) }, search},
		"strings.Repeat":        {func() { madeText = strings.Repeat(" ", len(to)) }, func() { madeText = blanks[:len(to)] }},
		"crypto/rand.Read": {func() { rand.Read(id[:]) }, func() {
			lock.Lock()
			io.ReadFull(random, id[:])
			lock.Unlock()
		}},
	}
}

// A link is an element of a list of numbers.
type link struct {
	n    int
	next *link
}

func kept() map[string]versus {
	xs, ys := make([]int, 100), make([]int, 100)
	m := make(map[string]int)
	for i := range 20 {
		m[strconv.Itoa(i)] = i
	}
	h := http.Header{"Accept": {"text/html"}, "Host": {"example.com"}, "User-Agent": {"tests"}}
	l := list.New()
	var first, free *link
	push := func() { // and take it out again
		e := free
		if e == nil {
			e = new(link)
		} else {
			free = e.next
		}
		e.n, e.next = 1000, first
		first = e
		first, e.next, free = e.next, free, e
	}
	return map[string]versus{
		"slices.Clone":                     {func() { madeInt = len(slices.Clone(xs)) }, func() { ys = append(ys[:0], xs...); madeInt = len(ys) }},
		"maps.Clone":                       {func() { madeInt = maps.Clone(m)["3"] }, func() { madeInt = m["3"] }},
		"(net/http.Header).Clone":          {func() { madeText = h.Clone().Get("Host") }, func() { madeText = h.Get("Host") }},
		"(*container/list.List).PushFront": {func() { l.Remove(l.PushFront(1000)) }, push},
		"(*container/list.List).PushBack":  {func() { l.Remove(l.PushBack(1000)) }, push},
	}
}

// intHeap is a heap of package container/heap; sift and rise are what one of numbers needs.
type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	n := len(*h) - 1
	x := (*h)[n]
	*h = (*h)[:n]
	return x
}

func rise(h []int, i int) {
	for i > 0 && h[i] < h[(i-1)/2] {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		i = (i - 1) / 2
	}
}

func sift(h []int, i int) {
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h); c++ {
			if h[c] < h[least] {
				least = c
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

func heapsOf() map[string]versus {
	h := make(intHeap, 200)
	for i := range h {
		h[i] = 1000 + i*7919%200
	}
	unordered := slices.Clone(h)
	heap.Init(&h)
	own := slices.Clone(h)
	take := func(i int) int {
		x, last := own[i], len(own)-1
		own[i] = own[last]
		own = own[:last]
		if i < last {
			sift(own, i)
			rise(own, i)
		}
		return x
	}
	add := func(x int) {
		own = append(own, x)
		rise(own, len(own)-1)
	}
	both := versus{func() {
		heap.Push(&h, 1100)
		madeInt = heap.Pop(&h).(int)
		heap.Push(&h, madeInt)
		heap.Remove(&h, len(h)-1)
	}, func() { add(1100); madeInt = take(0); add(madeInt); take(len(own) - 1) }}
	built := make(intHeap, len(unordered))
	return map[string]versus{
		"container/heap.Push":   both,
		"container/heap.Pop":    both,
		"container/heap.Remove": {func() { heap.Push(&h, heap.Remove(&h, 50)) }, func() { add(take(50)) }},
		"container/heap.Fix":    {func() { h[0] += 150; heap.Fix(&h, 0); h[0] -= 1; heap.Fix(&h, 0) }, func() { own[0] += 150; sift(own, 0); own[0] -= 1; sift(own, 0) }},
		"container/heap.Init": {func() { copy(built, unordered); heap.Init(&built) }, func() {
			copy(built, unordered)
			for i := len(built)/2 - 1; i >= 0; i-- {
				sift(built, i)
			}
		}},
	}
}

func requests() map[string]versus {
	const text = "https://example.com/a%2Fb?page=3&sort=name&order=up"
	u, _ := url.Parse(text)
	known := map[string]*url.URL{text: u}
	parsed := func() { madeAny = known[text] }
	escaped := u.EscapedPath()
	type key int
	type all struct{ user, trace, locale string }
	background := context.Background()
	r, _ := http.NewRequest("GET", text, nil)
	first := new(http.Request)
	kind := "application/json; charset=utf-8"
	return map[string]versus{
		"net/url.Parse":              {func() { madeAny, _ = url.Parse(text) }, parsed},
		"net/url.ParseRequestURI":    {func() { madeAny, _ = url.ParseRequestURI(text) }, parsed},
		"(*net/url.URL).EscapedPath": {func() { madeText = u.EscapedPath() }, func() { madeText = escaped }},
		"(*net/url.URL).Query": {func() {
			madeText = u.Query().Get("page") + u.Query().Get("sort") + u.Query().Get("order")
		}, func() {
			q := u.Query()
			madeText = q.Get("page") + q.Get("sort") + q.Get("order")
		}},
		"mime.ParseMediaType": {func() { madeText, _, _ = mime.ParseMediaType(kind) }, func() { madeBool = kind == "application/json; charset=utf-8" }},
		"context.WithValue": {func() {
			madeAny = context.WithValue(context.WithValue(context.WithValue(background, key(1), mixed), key(2), mixed), key(3), mixed)
		}, func() { madeAny = context.WithValue(background, key(1), &all{mixed, mixed, mixed}) }},
		"(*net/http.Request).WithContext": {func() { first = r.WithContext(background); madeAny = first.WithContext(background) }, func() { madeAny = r.WithContext(background) }},
	}
}

func documents() map[string]versus {
	raw := []byte("<list>" + strings.Repeat(`<entry id="7"><title>A title</title><body>Some text</body></entry>`, 20) + "</list>")
	type entry struct {
		ID    string `xml:"id,attr"`
		Title string `xml:"title"`
		Body  string `xml:"body"`
	}
	type entries struct {
		All []entry `xml:"entry"`
	}
	tokens := func() {
		d := xml.NewDecoder(bytes.NewReader(raw))
		var all []entry
		var e entry
		to := new(string)
		for {
			t, err := d.RawToken()
			if err != nil {
				break
			}
			switch t := t.(type) {
			case xml.StartElement:
				switch t.Name.Local {
				case "entry":
					e.ID = t.Attr[0].Value
				case "title":
					to = &e.Title
				case "body":
					to = &e.Body
				}
			case xml.CharData:
				*to = string(t)
			case xml.EndElement:
				if t.Name.Local == "entry" {
					all = append(all, e)
				}
			}
		}
		madeInt = len(all)
	}
	decode := func() {
		var e entries
		xml.NewDecoder(bytes.NewReader(raw)).Decode(&e)
		madeInt = len(e.All)
	}
	const line = "some text on a line of its own\n"
	r, br := strings.NewReader(line), bufio.NewReader(nil)
	begin := func() { r.Reset(line); br.Reset(r) }
	slice := func() { begin(); madeBytes, _ = br.ReadSlice('\n') }
	return map[string]versus{
		"encoding/xml.Unmarshal":         {func() { var e entries; xml.Unmarshal(raw, &e); madeInt = len(e.All) }, tokens},
		"(*encoding/xml.Decoder).Decode": {decode, tokens},
		"(*encoding/xml.Decoder).DecodeElement": {func() {
			d := xml.NewDecoder(bytes.NewReader(raw))
			t, _ := d.Token()
			start := t.(xml.StartElement)
			var e entries
			d.DecodeElement(&e, &start)
			madeInt = len(e.All)
		}, tokens},
		"(*bufio.Reader).ReadString": {func() { begin(); madeText, _ = br.ReadString('\n') }, slice},
		"(*bufio.Reader).ReadBytes":  {func() { begin(); madeBytes, _ = br.ReadBytes('\n') }, slice},
	}
}

func times() map[string]versus {
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	const text = "2026-02-03 04:05:06"
	digits := func(from, to int) (n int) {
		for i := from; i < to; i++ {
			n = 10*n + int(text[i]-'0')
		}
		return n
	}
	fixed := func() {
		at = time.Date(digits(0, 4), time.Month(digits(5, 7)), digits(8, 10), digits(11, 13), digits(14, 16), digits(17, 19), 0, time.UTC)
	}
	timer, ticker := time.NewTimer(time.Hour), time.NewTicker(time.Hour)
	return map[string]versus{
		"time.Parse":           {func() { at, _ = time.Parse(time.DateTime, text) }, fixed},
		"time.ParseInLocation": {func() { at, _ = time.ParseInLocation(time.DateTime, text, time.UTC) }, fixed},
		"(time.Time).Format":   {func() { madeText = at.Format(time.DateTime) }, func() { madeBytes = at.AppendFormat(madeBytes[:0], time.DateTime) }},
		"time.Now": {func() {
			for range 4 {
				at = time.Now()
			}
		}, func() {
			now := time.Now()
			for range 4 {
				at = now
			}
		}},
		"time.NewTimer":  {func() { t := time.NewTimer(time.Hour); t.Stop() }, func() { timer.Reset(time.Hour); timer.Stop() }},
		"time.NewTicker": {func() { t := time.NewTicker(time.Hour); t.Stop() }, func() { ticker.Reset(time.Hour); ticker.Stop() }},
	}
}

// BenchmarkCostly measures what testdata/costly-call/gains.txt has:
//
//	go test -run '^$' -bench Costly -benchtime 1x ./internal/advice/rules
func BenchmarkCostly(b *testing.B) {
	compareSides(b, costlyAndBetter(b))
}
