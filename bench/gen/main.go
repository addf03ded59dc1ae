// Gen writes a synthetic pprof profile of any size for benchmarks. Equal flags
// make equal files. It streams: memory does not grow with the profile.
//
// A CPU profile of about 100 MB, and one of hundreds of MB with five million
// samples (sizes are those before compression):
//
//	go run ./bench/gen -samples 750000 -locations 200000 -functions 30000 -depth 40 -o big.pb.gz
//	go run ./bench/gen -samples 5000000 -locations 2000000 -functions 200000 -depth 20 -o huge.pb.gz
//
// # Shape
//
// The locations of the program form a tree in levels, the callers above the
// callees. Levels grow from a handful of roots to a common width:
//
//	level 0                 *                    goroutine roots
//	level 1               *   *
//	  ...             *  *  *  *  *              growing up to 0.4 × depth
//	  ...            ********************        as wide as the locations allow
//	level 1.5×depth  ********************
//
// The callees of a place are neighbours in the level below and stand in few
// functions, so a function has several lines on the stacks. A sample takes the path from
// the root to one location, and then a short walk through the library: 2% of
// the locations, which everything calls, as everything calls the allocator.
// The first samples visit every location once; the others prefer hot ones.
// Some stacks recurse, some locations have inlined calls, most samples labels.
package main

import (
	"bufio"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	flags := flag.NewFlagSet("gen", flag.ContinueOnError)
	samples := flags.Int("samples", 750_000, "number of samples")
	locations := flags.Int("locations", 200_000, "number of locations")
	functions := flags.Int("functions", 30_000, "number of functions")
	depth := flags.Int("depth", 40, "mean depth of the stacks")
	seed := flags.Uint64("seed", 1, "seed of everything random")
	out := flags.String("o", "", "`file` to write, compressed if its name ends in .gz")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" {
		return fmt.Errorf("-o is required")
	}
	if *samples < 0 || *depth < 5 || *locations < 100 || *functions < 10 || *functions > *locations {
		return fmt.Errorf("want depth >= 5, locations >= 100 and 10 <= functions <= locations")
	}
	f, err := os.Create(*out)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	var w io.Writer = f
	if strings.HasSuffix(*out, ".gz") {
		z, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
		if err != nil {
			return err
		}
		defer func() {
			if e := z.Close(); err == nil {
				err = e
			}
		}()
		w = z
	}
	p := newProgram(*locations, *functions, *depth, *seed)
	return p.write(w, *samples)
}

// A program is the shape that the profile is of. Everything about it follows
// from these few numbers, by hashing.
type program struct {
	seed      uint64
	locations int
	functions int
	library   int   // locations [0, library) are the library
	levels    []int // levels[k] is the first location of level k; one past the last at the end
}

func newProgram(locations, functions, depth int, seed uint64) *program {
	p := &program{seed: seed, locations: locations, functions: functions, library: max(20, locations/50)}
	n := depth * 3 / 2
	full := max(1, depth*2/5)
	width := float64(locations-p.library) / (float64(n-full) + 1.3)
	next := p.library
	for k := 0; k < n && next < locations; k++ {
		p.levels = append(p.levels, next)
		size := width
		if k < full {
			size = 3 * math.Pow(width/3, float64(k)/float64(full))
		}
		next += max(1, int(size))
	}
	p.levels = append(p.levels, locations)
	return p
}

// level returns the level of tree location l.
func (p *program) level(l int) int {
	k := 0
	for p.levels[k+1] <= l {
		k++
	}
	return k
}

// appendStack appends the path of the tree that ends at location l of level k,
// leaf first.
func (p *program) appendStack(stack []uint64, l, k int) []uint64 {
	for ; k >= 0; k-- {
		stack = append(stack, uint64(l+1))
		if k > 0 {
			// Squaring gives the first locations of a level most of the callees.
			at := float64(l-p.levels[k]) / float64(p.levels[k+1]-p.levels[k])
			size := p.levels[k] - p.levels[k-1]
			l = p.levels[k-1] + min(size-1, int(at*(0.5+0.5*at)*float64(size)))
		}
	}
	return stack
}

func (p *program) functionOf(l int) int { return l * p.functions / p.locations }

// hash is splitmix64 of n under the seed and a salt.
func (p *program) hash(salt, n int) uint64 {
	x := p.seed + uint64(salt)*0xd1342543de82ef95 + uint64(n)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Salts: what a hash is for.
const (
	saltName = iota
	saltInline
	saltLine
	saltFile
)

var (
	modules  = []string{"github.com/acme/shop", "github.com/acme/shop/internal", "github.com/acme/kit", "golang.org/x/net", "google.golang.org/grpc/internal", "go.example.org/store/v2", "net", "encoding", "runtime", "vendor/golang.org/x"}
	packages = []string{"billing", "cart", "catalog", "codec", "http2", "json", "ledger", "limiter", "queue", "router", "search", "session", "shard", "transport", "wire"}
	nouns    = []string{"Account", "Buffer", "Client", "Decoder", "Entry", "Frame", "Handler", "Index", "Ledger", "Matcher", "Node", "Order", "Pool", "Reader", "Stream", "Table", "Writer"}
	verbs    = []string{"Apply", "Build", "Commit", "Decode", "Encode", "Find", "Flush", "Handle", "Merge", "Next", "Parse", "Read", "Resolve", "Scan", "Serve", "Update", "Walk", "Write"}
)

func pick(words []string, h *uint64) string {
	w := words[*h%uint64(len(words))]
	*h /= uint64(len(words))
	return w
}

const functionsPerFile = 8

func (p *program) packageOf(function int) string {
	h := p.hash(saltFile, function/functionsPerFile/4)
	return pick(modules, &h) + "/" + pick(packages, &h)
}

func (p *program) functionName(f int) string {
	h := p.hash(saltName, f)
	kind := h % 10
	h /= 10
	pkg, noun, verb := p.packageOf(f), pick(nouns, &h), pick(verbs, &h)
	switch {
	case kind < 5:
		return fmt.Sprintf("%s.(*%s).%s%d", pkg, noun, verb, f)
	case kind < 7:
		return fmt.Sprintf("%s.%s%s%d", pkg, verb, noun, f)
	case kind < 8:
		return fmt.Sprintf("%s.%s%s[go.shape.string,go.shape.*uint8]%d", pkg, verb, noun, f)
	case kind < 9:
		return fmt.Sprintf("%s.(*%s).%s%d.func%d.%d", pkg, noun, verb, f, 1+h%4, 1+h/4%3)
	}
	return fmt.Sprintf("%s.%s.%s%d-fm", pkg, noun, verb, f)
}

func (p *program) fileName(file int) string {
	h := p.hash(saltFile, file) >> 20
	return fmt.Sprintf("/src/%s/%s_%d.go", p.packageOf(file*functionsPerFile), strings.ToLower(pick(nouns, &h)), file)
}

// The string table holds first the constants below, then the values of labels,
// then the names of the functions, then those of the files.
var constants = []string{"", "samples", "count", "cpu", "nanoseconds", "endpoint", "tenant", "request_size", "bytes",
	"/src/bin/shop", "5f1c0ffee", "/usr/lib/libc.so.6", "[vdso]"}

const (
	strEmpty = iota
	strSamples
	strCount
	strCPU
	strNanoseconds
	strEndpoint
	strTenant
	strRequestSize
	strBytes
	strBinary
	strBuildID
	strLibc
	strVDSO
	strLabels // first of the label values
)

const (
	endpoints    = 24
	tenants      = 600
	strFunctions = strLabels + endpoints + tenants
)

const (
	periodNanos  = 10_000_000 // 100 Hz
	startNanos   = 1_700_000_000_000_000_000
	codeStart    = 0x401000
	codePerPlace = 21 // bytes of code between locations
)

// Field numbers of profile.proto.
const (
	profileSampleType, profileSample, profileMapping, profileLocation, profileFunction = 1, 2, 3, 4, 5
	profileString, profileTime, profileDuration, profilePeriodType, profilePeriod      = 6, 9, 10, 11, 12

	typeType, typeUnit                                                          = 1, 2
	sampleLocation, sampleValue, sampleLabel                                    = 1, 2, 3
	labelKey, labelStr, labelNum, labelUnit                                     = 1, 2, 3, 4
	mappingID, mappingStart, mappingLimit, mappingFile, mappingBuildID          = 1, 2, 3, 5, 6
	mappingHasFunctions, mappingHasFiles, mappingHasLines, mappingHasInlines    = 7, 8, 9, 10
	locationID, locationMapping, locationAddress, locationLine                  = 1, 2, 3, 4
	lineFunction, lineLine                                                      = 1, 2
	functionID, functionName, functionSystemName, functionFile, functionStarted = 1, 2, 3, 4, 5
)

func appendVarint(b []byte, x uint64) []byte {
	for x >= 0x80 {
		b = append(b, byte(x)|0x80)
		x >>= 7
	}
	return append(b, byte(x))
}

func appendUint(b []byte, field int, x uint64) []byte {
	if x == 0 {
		return b
	}
	return appendVarint(appendVarint(b, uint64(field)<<3), x)
}

func appendBytes[T []byte | string](b []byte, field int, x T) []byte {
	b = appendVarint(appendVarint(b, uint64(field)<<3|2), uint64(len(x)))
	return append(b, x...)
}

func appendPacked(b, scratch []byte, field int, xs []uint64) []byte {
	scratch = scratch[:0]
	for _, x := range xs {
		scratch = appendVarint(scratch, x)
	}
	return appendBytes(b, field, scratch)
}

func (p *program) write(out io.Writer, samples int) error {
	w := bufio.NewWriterSize(out, 1<<20)
	var message, field []byte
	emit := func(number int, m []byte) {
		field = appendBytes(field[:0], number, m)
		w.Write(field) // bufio keeps the error for Flush
	}
	for _, t := range [][2]uint64{{strSamples, strCount}, {strCPU, strNanoseconds}} {
		message = appendUint(appendUint(message[:0], typeType, t[0]), typeUnit, t[1])
		emit(profileSampleType, message)
	}
	p.writeSamples(samples, func(m []byte) { emit(profileSample, m) })
	p.writeProgram(emit)
	emit(profilePeriodType, message) // the message of the last sample type
	field = appendUint(field[:0], profileTime, startNanos)
	field = appendUint(field, profileDuration, uint64(samples)*periodNanos/8)
	field = appendUint(field, profilePeriod, periodNanos)
	w.Write(field)
	return w.Flush()
}

func (p *program) writeSamples(n int, emit func([]byte)) {
	var (
		random         = rand.New(rand.NewPCG(p.seed, 0))
		tree           = p.locations - p.library
		stride         = coprime(tree)
		stack          []uint64
		message, parts []byte
		label          []byte
	)
	addLabel := func(key, str, num, unit uint64) {
		label = appendUint(appendUint(label[:0], labelKey, key), labelStr, str)
		label = appendUint(appendUint(label, labelNum, num), labelUnit, unit)
		message = appendBytes(message, sampleLabel, label)
	}
	for i := range n {
		l := p.library + int(uint64(i)*stride%uint64(tree))
		if i >= tree {
			hot := math.Pow(random.Float64(), 3)
			l = p.library + int(float64(p.hash(saltName, int(hot*1e5))%uint64(tree)))
		}
		k := p.level(l)
		stack = stack[:0]
		for at := random.IntN(p.library); random.IntN(4) > 0 && len(stack) < 8; {
			stack = append(stack, uint64(at+1))
			at = int(p.hash(saltLine, at) % uint64(p.library))
		}
		if i%64 == 0 { // recursion: the last frames several times
			for range 1 + random.IntN(4) {
				stack = p.appendStack(stack, l, k)[:len(stack)+min(3, k+1)]
			}
		}
		stack = p.appendStack(stack, l, k)

		count := uint64(1 + random.ExpFloat64()*random.ExpFloat64()*3)
		message = message[:0]
		message = appendPacked(message, parts, sampleLocation, stack)
		message = appendPacked(message, parts, sampleValue, []uint64{count, count * periodNanos})
		if random.IntN(5) < 3 {
			addLabel(strEndpoint, strLabels+uint64(random.IntN(endpoints)), 0, 0)
			tenant := uint64(tenants * math.Pow(random.Float64(), 2))
			addLabel(strTenant, strLabels+endpoints+tenant, 0, 0)
		}
		if random.IntN(10) == 0 {
			addLabel(strRequestSize, 0, 1<<random.IntN(20), strBytes)
		}
		emit(message)
	}
}

// coprime returns a stride that visits all of n places in an order that looks random.
func coprime(n int) uint64 {
	for s := uint64(float64(n)*0.618) | 1; ; s += 2 {
		a, b := s, uint64(n)
		for b != 0 {
			a, b = b, a%b
		}
		if a == 1 {
			return s
		}
	}
}

// writeProgram writes the mappings, locations, functions and strings.
func (p *program) writeProgram(emit func(int, []byte)) {
	var message, line []byte
	limit := codeStart + uint64(p.locations+1)*codePerPlace
	for i, m := range []struct{ start, limit, file, build uint64 }{
		{0x400000, limit &^ 0xfff, strBinary, strBuildID},
		{limit &^ 0xfff, limit + 0x10000, strLibc, strEmpty},
		{0x7ffd_0000_0000, 0x7ffd_0000_2000, strVDSO, strEmpty},
	} {
		message = appendUint(message[:0], mappingID, uint64(i+1))
		message = appendUint(message, mappingStart, m.start)
		message = appendUint(message, mappingLimit, m.limit)
		message = appendUint(message, mappingFile, m.file)
		message = appendUint(message, mappingBuildID, m.build)
		for _, has := range []int{mappingHasFunctions, mappingHasFiles, mappingHasLines, mappingHasInlines} {
			message = appendUint(message, has, 1)
		}
		emit(profileMapping, message)
	}
	addLine := func(function int, number uint64) {
		line = appendUint(appendUint(line[:0], lineFunction, uint64(function+1)), lineLine, number)
		message = appendBytes(message, locationLine, line)
	}
	for l := range p.locations {
		address := codeStart + uint64(l)*codePerPlace
		mapping := uint64(1)
		if address >= limit&^0xfff {
			mapping = 2
		}
		message = appendUint(message[:0], locationID, uint64(l+1))
		message = appendUint(message, locationMapping, mapping)
		message = appendUint(message, locationAddress, address)
		for h := p.hash(saltInline, l); h%5 == 0; h /= 5 { // a fifth has an inlined call, a fifth of those two
			inlined := int(h / 5 % uint64(1+p.functions/20))
			addLine(inlined, 10+h/7%40)
		}
		f := p.functionOf(l)
		addLine(f, p.startLine(f)+1+p.hash(saltLine, l)%60)
		emit(profileLocation, message)
	}
	files := uint64((p.functions + functionsPerFile - 1) / functionsPerFile)
	for f := range p.functions {
		name := strFunctions + uint64(f)
		file := strFunctions + uint64(p.functions) + uint64(f/functionsPerFile)
		message = appendUint(message[:0], functionID, uint64(f+1))
		message = appendUint(message, functionName, name)
		message = appendUint(message, functionSystemName, name)
		message = appendUint(message, functionFile, file)
		message = appendUint(message, functionStarted, p.startLine(f))
		emit(profileFunction, message)
	}
	str := func(s string) { emit(profileString, append(line[:0], s...)) }
	for _, s := range constants {
		str(s)
	}
	for i := range endpoints {
		str(fmt.Sprintf("/api/v1/%s/%d", packages[i%len(packages)], i))
	}
	for i := range tenants {
		str(fmt.Sprintf("tenant-%04d", i))
	}
	for f := range p.functions {
		str(p.functionName(f))
	}
	for i := range files {
		str(p.fileName(int(i)))
	}
}

func (p *program) startLine(f int) uint64 { return uint64(12 + f%functionsPerFile*75) }
