package main

import "strings"

// A program is one build of a program whose profiles are taken.
type program struct {
	name string
	env  []string
	args []string // of go, without -o; "DIR" stands for the copy of the capture programs
}

var programs = []program{
	{"app", []string{"CGO_ENABLED=0"}, []string{"build", "DIR/app"}},
	{"app-cgo", []string{"CGO_ENABLED=1"}, []string{"build", "DIR/app"}},
	{"app-trimpath", []string{"CGO_ENABLED=0"}, []string{"build", "-trimpath", "DIR/app"}},
	{"app-v2", []string{"CGO_ENABLED=0"}, []string{"build", "-tags=v2", "DIR/app"}},
	{"app-noinline", []string{"CGO_ENABLED=0"}, []string{"build", "-gcflags=all=-l", "DIR/app"}},
	{"app-stripped", []string{"CGO_ENABLED=0"}, []string{"build", "-buildmode=pie", "-ldflags=-s -w", "DIR/app"}},
	{"app-leaks", []string{"CGO_ENABLED=0", "GOEXPERIMENT=goroutineleakprofile"}, []string{"build", "DIR/app"}},
	// The go line decides that dumps tell labels.
	{"app-go127", []string{"CGO_ENABLED=0", "GOTOOLCHAIN=go1.27.1"}, []string{"build", "-modfile=go127.mod", "DIR/app"}},
	{"small-go127", []string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64", "GOTOOLCHAIN=go1.27.1"}, []string{"build", "-modfile=go127.mod", "-trimpath", "-ldflags=-s -w", "DIR/small"}},
	{"cgoapp", []string{"CGO_ENABLED=1"}, []string{"build", "DIR/cgoapp"}},
	{"json.test", nil, []string{"test", "-c", "encoding/json"}},
	{"regexp.test", nil, []string{"test", "-c", "regexp"}},
	{"sort.test", nil, []string{"test", "-c", "sort"}},
	{"strings.test", nil, []string{"test", "-c", "strings"}},
	{"strconv.test", nil, []string{"test", "-c", "strconv"}},
	{"flate.test", nil, []string{"test", "-c", "compress/flate"}},
	{"template.test", nil, []string{"test", "-c", "html/template"}},
	{"parser.test", nil, []string{"test", "-c", "go/parser"}},
	{"types.test", nil, []string{"test", "-c", "go/types"}},
	{"sync.test", nil, []string{"test", "-c", "sync"}},
	{"nethttp.test", []string{"CGO_ENABLED=1"}, []string{"test", "-c", "net/http"}},
}

// A recipe makes the profiles named by files with one command. In args, the
// words $0, $1 and so on stand for them, and a first word that names a program
// stands for its binary.
type recipe struct {
	files  []string
	args   []string
	origin string // for the table in the README
	status int    // the exit status, besides 0
	// program means that the file is the program itself, gzipped.
	program bool
	dir     string // to run in, below GOROOT/src; "" for the directory of programs
}

// app is a recipe that runs a scenario of a build of app for a second.
func app(build, scenario, origin string, files ...string) recipe {
	return appFor("1s", build, scenario, origin, files...)
}

// appFor chooses the profiles to write by the kinds that the file names begin
// with and, in name.debugN.txt, by the text format N.
func appFor(length, build, scenario, origin string, files ...string) recipe {
	args := []string{build, "-scenario=" + scenario, "-for=" + length}
	for i, f := range files {
		kind, _, _ := strings.Cut(f, ".")
		place := "$" + string(rune('0'+i))
		if before, ok := strings.CutSuffix(f, ".txt"); ok {
			kind += ":" + before[len(before)-1:]
		}
		if kind == "cpu" {
			args = append(args, "-cpu="+place)
		} else {
			args = append(args, "-write="+kind+"="+place)
		}
	}
	return recipe{files: files, args: args, origin: origin + " (`app -scenario=" + scenario + "`)"}
}

// fetch is a recipe that gets files from the profile handlers of the http scenario.
func fetch(build, origin string, fileToPath ...string) recipe {
	r := recipe{args: []string{build, "-scenario=http", "-for=3s"}, origin: origin}
	for i := 0; i < len(fileToPath); i += 2 {
		r.files = append(r.files, fileToPath[i])
		r.args = append(r.args, "-fetch=$"+string(rune('0'+i/2))+"=debug/pprof/"+fileToPath[i+1])
	}
	return r
}

// bench is a recipe that runs benchmarks of a package of the standard library.
func bench(test, pkg, pattern string, files ...string) recipe {
	flags := map[string]string{"cpu": "cpu", "heap": "mem", "allocs": "mem", "block": "block", "mutex": "mutex"}
	args := []string{test, "-test.run=^$", "-test.bench=" + pattern, "-test.benchtime=100ms"}
	for i, f := range files {
		kind, _, _ := strings.Cut(f, ".")
		args = append(args, "-test."+flags[kind]+"profile=$"+string(rune('0'+i)))
	}
	return recipe{files: files, args: args, dir: pkg, origin: "`go test -bench='" + strings.ReplaceAll(pattern, "|", `\|`) + "' " + pkg + "`"}
}

var recipes = []recipe{
	app("app", "json-decode", "JSON decoding, CGO_ENABLED=0", "cpu.json-decode.pb.gz", "heap.json-decode.pb.gz", "allocs.json-decode.pb.gz"),
	app("app-trimpath", "json-decode", "JSON decoding, built with -trimpath", "cpu.json-decode-trimpath.pb.gz", "heap.json-decode-trimpath.pb.gz"),
	app("app-noinline", "inlining", "small functions, built without inlining", "cpu.noinline.pb.gz"),
	app("app-stripped", "tree", "position-independent and stripped of symbols", "cpu.pie-stripped.pb.gz"),
	app("app", "inlining", "functions inlined into each other", "cpu.inlining.pb.gz", "heap.inlining.pb.gz"),
	app("app", "tree", "a parser: a wide call graph, CGO_ENABLED=0", "cpu.tree.pb.gz", "heap.tree.pb.gz"),
	app("app", "generics", "generic types, functions and iterators", "cpu.generics.pb.gz", "heap.generics.pb.gz", "allocs.generics.pb.gz"),
	app("app", "recursion", "recursion, deeper than a profile's stack", "cpu.recursion.pb.gz", "heap.recursion.pb.gz"),
	app("app", "closures", "closures and deferred calls", "cpu.closures.pb.gz", "allocs.closures.pb.gz"),
	app("app", "method-values", "interfaces, embedding, method values", "cpu.method-values.pb.gz"),
	app("app", "assembly", "functions in assembly", "cpu.assembly.pb.gz"),
	appFor("2s", "app", "labels", "nested string labels", "cpu.labels.pb.gz"),
	app("app-cgo", "gc", "garbage collection at work, CGO_ENABLED=1", "cpu.gc.pb.gz", "heap.gc.pb.gz"),
	app("app-cgo", "templates", "HTML templates and regular expressions, CGO_ENABLED=1", "cpu.templates.pb.gz", "allocs.templates.pb.gz"),
	app("app", "idle", "an idle program: no samples", "cpu.empty.pb.gz"),
	app("app", "leak", "a leak of sessions", "heap.leak.pb.gz", "heap.leak.debug1.txt"),
	{files: []string{"heap.sizes.pb.gz"}, args: []string{"app", "-scenario=sizes", "-for=1s", "-memprofilerate=1", "-write=heap=$0"},
		origin: "blocks of many sizes, every allocation sampled (`app -scenario=sizes`)"},
	appFor("2s", "app", "wordcount", "counting words, first version", "cpu.wordcount-v1.pb.gz", "allocs.wordcount-v1.pb.gz"),
	appFor("2s", "app", "wordcount", "counting words, first version, another run", "cpu.wordcount-v1-again.pb.gz"),
	appFor("2s", "app-v2", "wordcount", "counting words, second version (-tags=v2)", "cpu.wordcount-v2.pb.gz", "allocs.wordcount-v2.pb.gz"),
	appFor("2s", "app-v2", "wordcount", "counting words, second version (-tags=v2), another run", "cpu.wordcount-v2-again.pb.gz"),

	app("app", "mutex", "two contended mutexes", "mutex.accounts.pb.gz", "block.accounts.pb.gz", "mutex.accounts.debug1.txt"),
	app("app", "rwmutex", "readers and writers, a slow sync.Once", "mutex.rwmutex.pb.gz", "block.rwmutex.pb.gz"),
	app("app", "channels", "a pipeline of channels", "block.channels.pb.gz", "goroutine.channels.pb.gz", "block.channels.debug1.txt"),
	app("app", "goroutines", "goroutines parked in every state", "goroutine.states.pb.gz"),
	app("app-leaks", "goroutines", "leaked goroutines, GOEXPERIMENT=goroutineleakprofile", "goroutineleak.states.pb.gz"),
	app("app-go127", "inlining", "functions inlined into each other, built by Go 1.27.1", "cpu.go127.pb.gz"),
	app("app-go127", "goroutines", "goroutines parked in every state, some labelled and some leaked, built by Go 1.27.1",
		"goroutineleak.go127.pb.gz", "goroutineleak.go127.debug1.txt", "goroutine.go127.pb.gz", "goroutine.go127.debug1.txt", "goroutine.go127.debug2.txt"),
	{files: []string{"goroutine.go127-crash.debug2.txt"}, args: []string{"app-go127", "-scenario=goroutines", "-write=goroutineleak=/dev/null", "-write=crash-all=$0"}, status: 2,
		origin: "a panic beside them, built by Go 1.27.1 (`app -scenario=goroutines -write=crash-all`)"},
	{files: []string{"goroutine.go127-system.debug2.txt"}, args: []string{"app-go127", "-scenario=goroutines", "-write=goroutineleak=/dev/null", "-write=crash-system=$0"}, status: 2,
		origin: "the same with GOTRACEBACK=system (`app -scenario=goroutines -write=crash-system`)"},
	{files: []string{"trace.go127.trace"}, args: []string{"app-go127", "-scenario=traced", "-fetch=$0=trace"},
		origin: "an execution trace of goroutines that wait, built by Go 1.27.1 (`app -scenario=traced`)"},
	{files: []string{"program.go127.gz"}, args: []string{"small-go127"}, program: true,
		origin: "no profile but a program, stripped of symbols, of Go 1.27.1: `capture/small`, gzipped"},
	app("app", "threads", "locked threads and blocking system calls", "threadcreate.threads.pb.gz", "goroutine.threads.pb.gz", "threadcreate.threads.debug1.txt"),

	fetch("app-cgo", "an HTTP server under load, from its profile handlers, CGO_ENABLED=1",
		"cpu.http-server.pb.gz", "profile?seconds=2", "heap.http-server.pb.gz", "heap", "allocs.http-server.pb.gz", "allocs",
		"goroutine.http-server.pb.gz", "goroutine", "threadcreate.http-server.pb.gz", "threadcreate"),
	fetch("app", "an HTTP server under load, CGO_ENABLED=0, profiles of one second (`?seconds=1`)",
		"heap.delta.pb.gz", "heap?seconds=1", "allocs.delta.pb.gz", "allocs?seconds=1", "mutex.delta.pb.gz", "mutex?seconds=1",
		"block.delta.pb.gz", "block?seconds=1", "goroutine.delta.pb.gz", "goroutine?seconds=1"),
	fetch("app-trimpath", "an HTTP server under load, built with -trimpath",
		"mutex.http-trimpath.pb.gz", "mutex", "block.http-trimpath.pb.gz", "block"),

	{files: []string{"cpu.cgo.pb.gz", "heap.cgo.pb.gz"}, args: []string{"cgoapp", "-cpu=$0", "-heap=$1"},
		origin: "C on the stacks, named by a symbolizer (`cgoapp`)"},
	{files: []string{"cpu.cgo-unsymbolized.pb.gz"}, args: []string{"cgoapp", "-symbolize=false", "-cpu=$0"},
		origin: "C on the stacks, addresses without names (`cgoapp -symbolize=false`)"},

	bench("json.test", "encoding/json", "CodeEncoder$|Unmarshal", "cpu.std-json.pb.gz", "allocs.std-json.pb.gz"),
	bench("regexp.test", "regexp", "Match|Compile", "cpu.std-regexp.pb.gz"),
	bench("sort.test", "sort", "Sort|Stable", "cpu.std-sort.pb.gz"),
	bench("strings.test", "strings", "Replace|Fields|Builder", "cpu.std-strings.pb.gz", "allocs.std-strings.pb.gz"),
	bench("strconv.test", "strconv", "Parse|Format|Append", "cpu.std-strconv.pb.gz"),
	bench("flate.test", "compress/flate", "Encode/.*/.*/1e5|Decode/.*/.*/1e5", "cpu.std-flate.pb.gz", "heap.std-flate.pb.gz"),
	bench("template.test", "html/template", ".", "cpu.std-html-template.pb.gz"),
	bench("parser.test", "go/parser", ".", "cpu.std-go-parser.pb.gz", "heap.std-go-parser.pb.gz"),
	bench("types.test", "go/types", "Check", "cpu.std-go-types.pb.gz"),
	bench("sync.test", "sync", "Mutex|Pool|Cond", "cpu.std-sync.pb.gz", "mutex.std-sync.pb.gz", "block.std-sync.pb.gz"),
	bench("nethttp.test", "net/http", "ClientServer", "cpu.std-net-http.pb.gz", "block.std-net-http.pb.gz", "mutex.std-net-http.pb.gz"),

	{files: []string{"cpu.go-compile.pb.gz", "block.go-compile.pb.gz", "mutex.go-compile.pb.gz"},
		args:   []string{"go", "build", "-gcflags=go/printer=-cpuprofile=$0 -blockprofile=$1 -mutexprofile=$2", "go/printer"},
		origin: "the compiler: `go build -gcflags=-KINDprofile=... go/printer`"},
	{files: []string{"allocs.go-compile.pb.gz"},
		args:   []string{"sh", "-c", `mkdir -p mem && go build -gcflags=text/tabwriter=-memprofile=$PWD/mem text/tabwriter && mv mem/* "$0" && rmdir mem`, "$0"},
		origin: "the compiler: `go build -gcflags=-memprofile=DIR text/tabwriter`"},
	{files: []string{"cpu.go-link.pb.gz", "heap.go-link.txt"},
		args:   []string{"go", "build", "-o", "/dev/null", "-ldflags=-cpuprofile=$0 -memprofile=$1", "cmd/vet"},
		origin: "the linker: `go build -ldflags=-KINDprofile=... cmd/vet` (heap is in the legacy text format)"},
	{files: []string{"cpu.gofmt.pb.gz"}, args: []string{"gofmt", "-cpuprofile=$0", "-l", "go/ast", "go/types", "cmd/compile/internal/ssa"}, dir: ".",
		origin: "`gofmt -cpuprofile=... -l $GOROOT/src/...`"},

	{files: []string{"cpu.merged.pb.gz"}, args: []string{"pprof", "-proto", "-symbolize=none", "-output=$0", "@cpu.labels.pb.gz", "@cpu.tree.pb.gz", "@cpu.cgo.pb.gz"},
		origin: "`go tool pprof -proto` of cpu.labels, cpu.tree and cpu.cgo: several binaries in one profile"},
	{files: []string{"cpu.diff.pb.gz"}, args: []string{"pprof", "-proto", "-symbolize=none", "-output=$0", "-diff_base=@cpu.wordcount-v1.pb.gz", "@cpu.wordcount-v2.pb.gz"},
		origin: "`go tool pprof -proto -diff_base=` of cpu.wordcount-v1 and -v2: negative values"},
	{files: []string{"allocs.diff.pb.gz"}, args: []string{"pprof", "-proto", "-symbolize=none", "-output=$0", "-base=@allocs.wordcount-v1.pb.gz", "@allocs.wordcount-v2.pb.gz"},
		origin: "`go tool pprof -proto -base=` of allocs.wordcount-v1 and -v2: values that cancel"},
	{files: []string{"cpu.uncompressed.pb"}, args: []string{"sh", "-c", `gzip -dc "$0" >"$1"`, "@cpu.generics.pb.gz", "$0"},
		origin: "cpu.generics without gzip"},
}

// slow runs beside the others: after a minute, dumps say how long goroutines wait.
var slow = appFor("62s", "app", "goroutines", "goroutines parked in every state for a minute, some labelled",
	"goroutine.debug1.txt", "goroutine.debug2.txt", "goroutine.labels.pb.gz")
