package main

import (
	"slices"
	"strings"
	"sync"
)

// A service is one program of the fleet.
type service struct {
	name     string
	module   string
	zones    []string // of its instances, which are NAME-a, NAME-b, …
	cores    float64  // mean CPU time per second of an instance
	heap     float64  // bytes in use
	waiting  float64  // goroutines
	lock     float64  // seconds per second that goroutines wait for mutexes
	versions []version
	paths    []path
	effects  []effect
}

// A version begins some hours before the end; the first one is there from the start.
type version struct {
	name  string
	hours float64
}

// A path is a stack and how much of each kind it takes, relative to other paths.
type path struct {
	endpoint string // "": none
	calls    string // from the root; a name that begins with a dot is in the module
	weights
}

// weights are by kind: CPU time, bytes in use, bytes allocated, goroutines, waiting for
// mutexes and being blocked.
type weights struct{ cpu, used, alloc, goroutine, mutex, block float64 }

// An effect multiplies what paths through a function take.
type effect struct {
	through  string
	factor   float64
	kinds    string // names of kinds; "": all
	versions string // names of versions; "": all
	instance string // "": all
	when     func(h hourly) float64
}

// stack returns the names of the path's functions from the leaf, each with its line.
func (p *path) stack(module string) []string {
	calls := strings.Fields(p.calls)
	for i, name := range calls {
		if inside, ok := strings.CutPrefix(name, "."); ok {
			calls[i] = module + "/" + inside
		}
	}
	for i, j := 0, len(calls)-1; i < j; i, j = i+1, j-1 {
		calls[i], calls[j] = calls[j], calls[i]
	}
	return calls
}

const (
	served  = "net/http.(*conn).serve:2102 net/http.serverHandler.ServeHTTP:3340 "
	rpc     = "google.golang.org/grpc.(*Server).serveStreams.func2.1:1049 google.golang.org/grpc.(*Server).handleStream:1793 "
	collect = "runtime.gcBgMarkWorker:1423 runtime.gcDrain:1231 "
)

// services returns the fleet.
var services = sync.OnceValue(func() []service { return []service{shop(), search(), ledger()} })

func serviceNamed(name string) *service {
	all := services()
	return &all[slices.IndexFunc(all, func(s service) bool { return s.name == name })]
}

func shop() service {
	const serve, checkout = served + ".web.(*Server).ServeHTTP:41 ", "/checkout"
	return service{
		name: "shop", module: "example.com/shop", zones: []string{"eu-1", "eu-1", "us-2", "us-2"},
		cores: 1.1, heap: 310 << 20, waiting: 420, lock: 0.02,
		versions: []version{{"v1.0.0", 1e6}, {"v1.1.0", 15*24 + 3}, {"v1.2.0", 10*24 + 1}, {"v1.3.0", 6*24 + 2}, {"v1.4.0", 2*24 + 4}},
		paths: []path{
			{"/cart", serve + ".cart.(*Handler).Show:57 .cart.(*Store).Load:112 encoding/json.Unmarshal:113 encoding/json.(*decodeState).object:669", weights{cpu: 11, used: 4, alloc: 14, goroutine: 3}},
			{"/cart", serve + ".cart.(*Handler).Show:61 html/template.(*Template).Execute:125 text/template.(*state).walk:290 text/template.(*state).evalField:623", weights{cpu: 9, alloc: 11, goroutine: 2}},
			{"/cart", serve + ".cart.(*Handler).Add:83 .cart.(*Store).Save:141 encoding/json.Marshal:171 encoding/json.structEncoder.encode:709", weights{cpu: 5, alloc: 6, goroutine: 2, mutex: 2}},
			{checkout, serve + ".checkout.(*Handler).Submit:70 .pricing.(*Engine).Total:39 .pricing.(*Engine).Discounts:88", weights{cpu: 8, alloc: 3, goroutine: 2}},
			{checkout, serve + ".checkout.(*Handler).Submit:70 .pricing.(*Engine).Total:39 .pricing.(*Engine).Discounts:92 strings.EqualFold:1130", weights{cpu: 3, goroutine: 1}},
			{checkout, serve + ".checkout.(*Handler).Submit:74 .checkout.validate:131 regexp.MustCompile:311 regexp/syntax.Parse:889", weights{cpu: 1, alloc: 4}},
			{checkout, serve + ".checkout.(*Handler).Submit:81 .checkout.sign:158 crypto/hmac.(*hmac).Sum:71 crypto/sha256.block:25", weights{cpu: 7, goroutine: 1}},
			{checkout, serve + ".checkout.(*Handler).Submit:90 .orders.(*Queue).Push:44 sync.(*Mutex).Lock:46", weights{mutex: 9, block: 3, goroutine: 2}},
			{"/search", serve + ".catalog.(*Handler).Search:33 .catalog.(*Index).Find:97 .catalog.intersect:140", weights{cpu: 14, alloc: 2, goroutine: 3}},
			{"/search", serve + ".catalog.(*Handler).Search:38 sort.Slice:29 .catalog.(*Handler).Search.func1:39", weights{cpu: 6, alloc: 1, goroutine: 1}},
			{"/search", serve + ".catalog.(*Handler).Search:44 encoding/json.(*Encoder).Encode:209 encoding/json.appendString:1013", weights{cpu: 5, alloc: 5, goroutine: 1}},
			{"/healthz", serve + ".web.(*Server).healthz:204", weights{cpu: 0.3, goroutine: 0.2}},
			{"", "main.main:22 .catalog.Open:18 .catalog.(*Index).Load:61", weights{used: 34}},
			{"", "main.main:25 .cart.NewStore:31 .cart.(*Store).warm:49", weights{used: 11}},
			{"", collect + "runtime.scanobject:1446", weights{cpu: 8}},
			{"", collect + "runtime.markroot:238", weights{cpu: 3}},
			{"", "net/http.(*connReader).backgroundRead:692 net.(*conn).Read:194 internal/poll.(*FD).Read:165", weights{cpu: 1, goroutine: 60, block: 1}},
			{"", ".orders.(*Queue).drain:71 .orders.(*Queue).flush:90 runtime.chanrecv1:489", weights{goroutine: 4, block: 20}},
		},
		effects: []effect{
			{through: "pricing.(*Engine).Discounts", factor: 2.3, kinds: "cpu", versions: "v1.4.0"},
			{through: "catalog.intersect", factor: 0.75, kinds: "cpu", versions: "v1.2.0 v1.3.0 v1.4.0"},
			{through: "text/template", factor: 0.8, kinds: "cpu", versions: "v1.1.0 v1.2.0 v1.3.0 v1.4.0"},
			{through: "regexp.MustCompile", factor: 110, kinds: "cpu heap", instance: "shop-b", when: hourly.slow},
			{through: "orders.(*Queue).Push", factor: 4, kinds: "mutex goroutine", instance: "shop-b", when: hourly.slow},
		},
	}
}

func search() service {
	const serve = served + ".web.Handler.ServeHTTP:28 "
	return service{
		name: "search", module: "example.com/search", zones: []string{"eu-1", "us-2", "us-2"},
		cores: 0.55, heap: 740 << 20, waiting: 130, lock: 0.004,
		versions: []version{{"v2.0.0", 1e6}, {"v2.1.0", 16*24 + 1}, {"v2.2.0", 11*24 + 5}, {"v2.3.0", 7*24 + 6}, {"v2.4.0", 3*24 + 2}},
		paths: []path{
			{"/query", serve + ".query.Run:48 .rank.Score:77 .rank.bm25:103 math.log:80", weights{cpu: 16, goroutine: 4}},
			{"/query", serve + ".query.Run:48 .rank.Score:81", weights{cpu: 9, goroutine: 2}},
			{"/query", serve + ".query.Run:44 .index.(*Reader).Postings:66 encoding/binary.Uvarint:69", weights{cpu: 15, alloc: 4, goroutine: 2}},
			{"/query", serve + ".query.Run:52 container/heap.Push:53 .query.(*best).Less:19", weights{cpu: 5, alloc: 2, goroutine: 1}},
			{"/suggest", serve + ".suggest.Prefix:31 .suggest.(*Trie).Walk:58 .suggest.(*Trie).Walk:61", weights{cpu: 7, alloc: 3, goroutine: 2}},
			{"/suggest", serve + ".suggest.Prefix:35 strings.ToLower:681", weights{cpu: 3, alloc: 8, goroutine: 1}},
			{"/index", serve + ".index.(*Writer).Add:90 .index.tokens:122 unicode/utf8.DecodeRuneInString:211", weights{cpu: 6, alloc: 9, goroutine: 1, mutex: 2}},
			{"/index", serve + ".index.(*Writer).Add:94 .index.(*Writer).flush:150 compress/flate.(*compressor).deflate:393", weights{cpu: 9, alloc: 5, goroutine: 1, block: 2}},
			{"/query", serve + ".query.Run:40 .index.(*Cache).Put:37", weights{cpu: 1, used: 9, alloc: 12, mutex: 4}},
			{"", "main.main:19 .index.Open:25 .index.(*Reader).load:41", weights{used: 60}},
			{"", "main.main:21 .suggest.Build:17 .suggest.(*Trie).Insert:44", weights{used: 22}},
			{"", collect + "runtime.scanobject:1446", weights{cpu: 10}},
			{"", "net/http.(*connReader).backgroundRead:692 net.(*conn).Read:194 internal/poll.(*FD).Read:165", weights{cpu: 1, goroutine: 30, block: 4}},
		},
		effects: []effect{
			{through: "index.(*Cache).Put", factor: 2, kinds: "heap", versions: "v2.3.0", when: hourly.grown},
			{through: "rank.Score", factor: 0.6, kinds: "cpu", versions: "v2.4.0"},
			{through: "suggest.(*Trie).Walk", factor: 1.5, kinds: "cpu", versions: "v2.1.0"},
			{through: "compress/flate", factor: 2.5, kinds: "cpu", when: hourly.night},
		},
	}
}

func ledger() service {
	const serve, post, rep = rpc, "Post", "Report"
	return service{
		name: "ledger", module: "example.com/ledger", zones: []string{"eu-1", "us-2"},
		cores: 0.2, heap: 95 << 20, waiting: 64, lock: 0.05,
		versions: []version{{"v0.9.0", 1e6}, {"v0.9.1", 13*24 + 8}, {"v0.9.2", 8*24 + 4}, {"v0.9.3", 4*24 + 7}, {"v0.9.4", 20}},
		paths: []path{
			{post, serve + ".rpc.(*Server).Post:52 .journal.(*Log).Append:80 .journal.encode:121 encoding/binary.BigEndian.PutUint64:152", weights{cpu: 12, alloc: 6, goroutine: 2}},
			{post, serve + ".rpc.(*Server).Post:52 .journal.(*Log).Append:74 sync.(*Mutex).Lock:46", weights{cpu: 2, mutex: 20, block: 5, goroutine: 6}},
			{post, serve + ".rpc.(*Server).Post:58 .account.(*Book).Apply:66 runtime.mapassign_faststr:263", weights{cpu: 10, alloc: 4, goroutine: 1}},
			{post, serve + ".rpc.(*Server).Post:52 .journal.(*Log).Append:88 os.(*File).Sync:64 internal/poll.(*FD).Fsync:91", weights{cpu: 6, goroutine: 4, block: 1}},
			{"Balance", serve + ".rpc.(*Server).Balance:71 .account.(*Book).Get:91 fmt.Sprintf:239", weights{cpu: 9, alloc: 9, goroutine: 1}},
			{"Balance", serve + ".rpc.(*Server).Balance:73 google.golang.org/protobuf/proto.Marshal:104", weights{cpu: 8, alloc: 7, goroutine: 1}},
			{rep, serve + ".rpc.(*Server).Report:95 .report.Monthly:40 .report.group:77 runtime.mapiternext:884", weights{cpu: 10, alloc: 12, goroutine: 1}},
			{rep, serve + ".rpc.(*Server).Report:97 .report.csv:131 strconv.FormatFloat:47", weights{cpu: 7, alloc: 10, goroutine: 1}},
			{"", "main.main:30 .account.Load:28 .account.(*Book).grow:52", weights{used: 40}},
			{"", collect + "runtime.scanobject:1446", weights{cpu: 6}},
			{"", ".journal.(*Log).background:41 runtime.selectgo:327", weights{goroutine: 2, block: 20}},
		},
		effects: []effect{
			{through: "journal.(*Log).Append", factor: 3, kinds: "mutex", versions: "v0.9.2 v0.9.3 v0.9.4"},
			{through: "rpc.(*Server).Report", factor: 2.6, when: hourly.lately},
		},
	}
}
