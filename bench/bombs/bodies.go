//go:build linux

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"log"
	"math/rand/v2"
	"mime/multipart"
	"os"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	profiles "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// A push is one kind of request.
type push struct {
	name, path, kind string
	encoding         string // of the body, or of the messages of gRPC
	rpc              bool   // over HTTP/2, as gRPC is
	body             func() []byte
	each             func(i int) []byte // another body for each, unless it is nil
	more             func() []byte      // sent after the body
	at               int64              // what TIME in the path stands for; now if it is 0
}

const (
	protoKind = "application/proto"
	grpcKind  = "application/grpc"
	jsonKind  = "application/json"
	octets    = "application/octet-stream"

	otlpHTTP  = "/v1development/profiles"
	otlpRPC   = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"
	pusher    = "/push.v1.PusherService/Push"
	parca     = "/parca.profilestore.v1alpha1.ProfileStoreService/"
	cloud     = "/google.devtools.cloudprofiler.v2.ProfilerService/CreateOfflineProfile"
	cloudREST = "/v2/projects/p/profiles:createOffline"
	own       = "/api/v1/profiles?service=x&time=TIME000000000"
)

// pushes returns what is measured: large profiles that are not compressed, and smaller
// requests that become as much as the limits allow.
func pushes() []push {
	var all []push
	add := func(name, path, kind, encoding string, body func() []byte) {
		all = append(all, push{name: name, path: path, kind: kind, encoding: encoding, body: sync.OnceValue(body)})
	}
	rpc := func(name, path string, body func() []byte) {
		all = append(all,
			push{name: name + " grpc", path: path, kind: grpcKind, rpc: true, body: sync.OnceValue(func() []byte { return envelope(0, body()) })},
			push{name: name + " grpc gzip", path: path, kind: grpcKind, rpc: true, encoding: "gzip", body: sync.OnceValue(func() []byte { return envelope(1, gzipped(body())) })},
		)
		add(name+" connect", path, protoKind, "", body)
		add(name+" connect gzip", path, protoKind, "gzip", func() []byte { return gzipped(body()) })
	}
	for _, content := range []struct {
		name string
		make func() []byte
	}{{"stacks", otlpStacks}, {"frames", otlpFrames}, {"samples", otlpSamples}, {"entries", otlpEntries}} {
		name := "otlp " + content.name
		add(name+" http", otlpHTTP, "application/x-protobuf", "", content.make)
		add(name+" http gzip", otlpHTTP, "application/x-protobuf", "gzip", func() []byte { return gzipped(content.make()) })
		rpc(name, otlpRPC, content.make)
	}
	add("otlp bomb http zstd", otlpHTTP, "application/x-protobuf", "zstd", func() []byte { return zstded(otlpBomb()) })
	add("otlp bomb http gzip", otlpHTTP, "application/x-protobuf", "gzip", func() []byte { return gzipped(otlpBomb()) })
	all = append(all, push{name: "otlp bomb grpc gzip", path: otlpRPC, kind: grpcKind, rpc: true, encoding: "gzip", body: func() []byte { return envelope(1, gzipped(otlpBomb())) }})
	add("otlp json http", otlpHTTP, jsonKind, "", otlpJSON)
	add("otlp json connect", otlpRPC, jsonKind, "", otlpJSON)
	add("otlp objects json http", otlpHTTP, jsonKind, "", otlpObjects)
	add("otlp objects json http gzip", otlpHTTP, jsonKind, "gzip", func() []byte { return gzipped(otlpObjects()) })

	all = append(all, push{name: "pprof distinct", path: own, kind: octets, body: pprofStacks, each: pprofStacksOf})
	for _, content := range []struct {
		name string
		make func() []byte
	}{{"stacks", pprofStacks}, {"frames", pprofFrames}, {"samples", pprofSamples}, {"strings", pprofStrings}, {"bomb", pprofBomb}} {
		data := content.make
		add("pprof "+content.name, own, octets, "", data)
		add("ingest pprof "+content.name, "/ingest?name=x&format=pprof&from=TIME", octets, "", data)
		add("ingest form "+content.name, "/ingest?name=x&from=TIME", "multipart/form-data; boundary=b0", "", func() []byte { return form(data(), "") })
		add("ingest counters "+content.name, "/ingest?name=x&from=TIME", "multipart/form-data; boundary=b0", "", func() []byte { return form(data(), `{"cpu":{"cumulative":true}}`) })
		pushed := func() []byte {
			labels := append(field(nil, 1, label("__name__", "process_cpu")), field(nil, 1, label("service_name", "x"))...)
			return field(nil, 1, append(labels, field(nil, 2, field(nil, 1, data()))...))
		}
		raw := func() []byte {
			labels := field(nil, 1, field(nil, 1, label("__name__", "cpu")))
			return field(nil, 2, append(labels, field(nil, 2, field(nil, 1, data()))...))
		}
		offline := func() []byte {
			deployment := append(field(nil, 1, []byte("p")), field(nil, 2, []byte("x"))...)
			profile := append([]byte{2 << 3, 1}, field(nil, 3, deployment)...) // CPU
			return append(field(nil, 1, []byte("projects/p")), field(nil, 2, append(profile, field(nil, 5, data())...))...)
		}
		rpc("pyroscope "+content.name, pusher, pushed)
		rpc("parca "+content.name, parca+"WriteRaw", raw)
		rpc("cloud "+content.name, cloud, offline)
		base := func() string { return base64.StdEncoding.EncodeToString(data()) }
		add("pyroscope "+content.name+" json", pusher, jsonKind, "", func() []byte {
			return fmt.Appendf(nil, `{"series":[{"labels":[{"name":"__name__","value":"process_cpu"},{"name":"service_name","value":"x"}],"samples":[{"rawProfile":%q}]}]}`, base())
		})
		add("parca "+content.name+" rest", "/api/profiles/writeraw", jsonKind, "", func() []byte {
			return fmt.Appendf(nil, `{"series":[{"labels":{"labels":[{"name":"__name__","value":"cpu"}]},"samples":[{"rawProfile":%q}]}]}`, base())
		})
		add("cloud "+content.name+" rest", cloudREST, jsonKind, "", func() []byte {
			return fmt.Appendf(nil, `{"profileType":"CPU","deployment":{"projectId":"p","target":"x"},"profileBytes":%q}`, base())
		})
	}
	add("pprof samples gzip zstd", own, octets, "zstd", func() []byte { return zstded(pprofSamples()) })
	add("ingest folded", "/ingest?name=x&format=folded&from=TIME", "text/plain", "", folded)
	add("ingest folded gzip", "/ingest?name=x&format=folded&from=TIME", "text/plain", "gzip", func() []byte { return gzipped(folded()) })
	add("ingest lines", "/ingest?name=x&format=lines&from=TIME", "text/plain", "", lines)
	add("ingest lines gzip", "/ingest?name=x&format=lines&from=TIME", "text/plain", "gzip", func() []byte { return gzipped(lines()) })
	add("heap text", own, octets, "", heapText)
	add("goroutine text", own, octets, "", goroutineText)

	record := sync.OnceValue(func() []byte { return field(nil, 1, arrowRecords("v2.samples.arrow", 15<<20)) })
	rpc("parca arrow", parca+"WriteArrow", record)
	all = append(all, push{name: "parca arrow stream", path: parca + "Write", kind: grpcKind, rpc: true,
		body: sync.OnceValue(func() []byte { return envelope(0, field(nil, 1, arrowRecords("v1.samples.arrow", 15<<20))) }),
		more: sync.OnceValue(func() []byte { return envelope(0, field(nil, 1, recorded("v1.stacks.arrow"))) })})
	return all
}

// What is sent is the same in every run, except for its time.
func source() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func field(b []byte, number int, data []byte) []byte {
	b = binary.AppendUvarint(b, uint64(number<<3|2))
	return append(binary.AppendUvarint(b, uint64(len(data))), data...)
}

func number(b []byte, field int, n uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(field<<3)), n)
}

func packed(numbers ...uint64) (b []byte) {
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

func label(name, value string) []byte {
	return field(field(nil, 1, []byte(name)), 2, []byte(value))
}

func envelope(flag byte, message []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{flag}, uint32(len(message))), message...)
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(data) // into memory
	_ = w.Close()
	return b.Bytes()
}

func zstded(data []byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		log.Fatal(err)
	}
	return w.EncodeAll(data, nil)
}

func form(profile []byte, types string) []byte {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	_ = w.SetBoundary("b0")
	add := func(name string, data []byte) {
		f, err := w.CreateFormFile(name, name)
		if err != nil {
			log.Fatal(err)
		}
		_, _ = f.Write(data)
	}
	if types != "" {
		add("sample_type_config", []byte(types))
	}
	add("profile", profile)
	_ = w.Close()
	return b.Bytes()
}

const (
	size   = 15 << 20 // of a push that is not compressed
	tables = 50_000   // functions of a large program
)

// pprofHead returns the tables of a profile of many functions.
func pprofHead() []byte {
	b := field(nil, 1, packed(1<<3, 1, 2<<3, 2))
	for _, text := range []string{"", "cpu", "nanoseconds"} {
		b = field(b, 6, []byte(text))
	}
	for i := range tables {
		b = field(b, 6, fmt.Appendf(nil, "example.com/package/sub%d.(*Type%d).Method", i%997, i))
		b = field(b, 5, packed(1<<3, uint64(i+1), 2<<3, uint64(i+3)))
		b = field(b, 4, append(packed(1<<3, uint64(i+1), 3<<3, uint64(i*16)), field(nil, 4, packed(1<<3, uint64(i+1), 2<<3, 7))...))
	}
	return b
}

func pprofStacks() []byte { return pprofStacksOf(0) }

// pprofStacksOf returns a profile of many stacks of 24 frames, which are others for each
// number.
func pprofStacksOf(i int) []byte {
	random := rand.New(rand.NewPCG(1, uint64(i)))
	b := pprofHead()
	for len(b) < size {
		stack := make([]uint64, 24)
		for i := range stack {
			stack[i] = 1 + random.Uint64N(tables)
		}
		b = field(b, 2, field(field(nil, 1, packed(stack...)), 2, packed(10_000_000)))
	}
	return b
}

// pprofFrames returns a profile of stacks with as many frames as fit.
func pprofFrames() []byte {
	random := source()
	b := pprofHead()
	for len(b) < size {
		stack := make([]uint64, 1000)
		for i := range stack {
			stack[i] = 1 + random.Uint64N(127)
		}
		b = field(b, 2, field(field(nil, 1, packed(stack...)), 2, packed(1)))
	}
	return b
}

// pprofSamples returns a profile of as many samples as fit.
func pprofSamples() []byte {
	random := source()
	b := pprofHead()
	for len(b) < size {
		b = field(b, 2, field(field(nil, 1, packed(1+random.Uint64N(127))), 2, packed(1+random.Uint64N(100))))
	}
	return b
}

// pprofStrings returns a profile of short texts.
func pprofStrings() []byte {
	b := pprofHead()
	for i := 0; len(b) < size; i++ {
		b = field(b, 6, []byte{byte(i), byte(i >> 8)})
	}
	return b
}

// pprofBomb returns a profile that becomes as much as the limits allow: bytes that can't
// be compressed, and samples that compress well.
func pprofBomb() []byte {
	random := source()
	noise := make([]byte, 8<<20)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	b := field(pprofHead(), 100, noise)
	sample := field(nil, 2, field(field(nil, 1, packed(1)), 2, packed(1)))
	return gzipped(append(b, bytes.Repeat(sample, (200<<20)/len(sample))...))
}

// otlp returns ExportProfilesServiceRequest { resource_profiles = 1 { resource = 1 {
// attributes = 1 }, scope_profiles = 2 { profiles = 2 } }, dictionary = 2 }.
func otlp(dictionary, profile []byte) []byte {
	service := field(field(nil, 1, []byte("service.name")), 2, field(nil, 1, []byte("x")))
	resource := field(field(nil, 1, field(nil, 1, service)), 2, field(nil, 2, profile))
	return field(field(nil, 2, dictionary), 1, resource)
}

// otlpHead returns the tables of a dictionary of many functions.
func otlpHead(functions int) []byte {
	var b []byte
	for _, text := range []string{"", "samples", "count", "cpu", "nanoseconds"} {
		b = field(b, 5, []byte(text))
	}
	b = field(field(field(b, 1, nil), 2, nil), 3, nil)
	for i := range functions {
		b = field(b, 5, fmt.Appendf(nil, "example.com/package/sub%d.(*Type%d).Method", i%997, i))
		b = field(b, 3, number(nil, 1, uint64(i+5)))
		b = field(b, 2, append(number(nil, 2, uint64(i*16)), field(nil, 3, packed(1<<3, uint64(i+1), 2<<3, 7))...))
	}
	return field(b, 7, nil) // the first stack
}

func otlpProfile() []byte {
	b := field(nil, 1, packed(1<<3, 1, 2<<3, 2))
	b = binary.LittleEndian.AppendUint64(binary.AppendUvarint(b, 3<<3|1), uint64(time.Now().UnixNano()))
	return number(field(number(b, 4, 10_000_000_000), 5, packed(1<<3, 3, 2<<3, 4)), 6, 10_000_000)
}

// otlpStacksOf returns a request of n bytes with stacks of so many frames.
func otlpStacksOf(n, functions, frames int) []byte {
	random := source()
	dictionary, profile := otlpHead(functions), otlpProfile()
	for i := 1; len(dictionary)+len(profile) < n; i++ {
		stack := make([]uint64, frames)
		for k := range stack {
			stack[k] = 1 + random.Uint64N(uint64(functions))
		}
		dictionary = field(dictionary, 7, field(nil, 1, packed(stack...)))
		profile = field(profile, 2, append(number(nil, 1, uint64(i)), field(nil, 4, packed(1))...))
	}
	return otlp(dictionary, profile)
}

func otlpStacks() []byte { return otlpStacksOf(size, tables, 24) }

// otlpFrames returns a request of stacks with as many frames as fit.
func otlpFrames() []byte { return otlpStacksOf(size, 126, 1000) }

// otlpSamples returns a request with as many samples as fit.
func otlpSamples() []byte {
	random := source()
	dictionary, profile := otlpHead(tables), otlpProfile()
	for i := range uint64(64) {
		dictionary = field(dictionary, 7, field(nil, 1, packed(i+1)))
	}
	for len(dictionary)+len(profile) < size {
		profile = field(profile, 2, append(number(nil, 1, 1+random.Uint64N(64)), field(nil, 4, packed(random.Uint64N(100)))...))
	}
	return otlp(dictionary, profile)
}

// otlpEntries returns a request with as many entries of a table as are read.
func otlpEntries() []byte {
	dictionary := otlpHead(100)
	for i := 0; len(dictionary) < size; i++ {
		dictionary = field(dictionary, 3, fmt.Appendf(nil, "\x08\x05\x22\x0a%010d", i)) // a function
	}
	return otlp(dictionary, otlpProfile())
}

// otlpBomb returns a request that compresses as well as is allowed.
func otlpBomb() []byte {
	random := source()
	noise := make([]byte, 900<<10)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	dictionary := field(otlpHead(100), 100, noise)
	return otlp(append(dictionary, bytes.Repeat(field(nil, 5, bytes.Repeat([]byte("a"), 30)), (55<<20)/32)...), otlpProfile())
}

// otlpJSON returns a request in JSON with stacks of 24 frames.
func otlpJSON() []byte {
	var m profiles.ProfilesData // it has the fields of the request
	if err := proto.Unmarshal(otlpStacksOf(5<<20, 10_000, 24), &m); err != nil {
		log.Fatal(err)
	}
	b, err := protojson.Marshal(&m)
	if err != nil {
		log.Fatal(err)
	}
	return b
}

// otlpObjects returns a request in JSON with as many objects as are read.
func otlpObjects() []byte {
	const objects = 1_000_000
	return []byte(`{"dictionary":{"functionTable":[{}` + string(bytes.Repeat([]byte(`,{"nameStrindex":1}`), objects*15/20)) + `]}}`)
}

func folded() []byte {
	random := source()
	var b []byte
	for len(b) < size {
		for range 8 {
			b = fmt.Appendf(b, "f%d;", random.Uint64N(tables))
		}
		b = append(b, "g 1\n"...)
	}
	return b
}

func lines() []byte {
	random := source()
	var b []byte
	for len(b) < size {
		b = fmt.Appendf(b, "a;f%d\n", random.Uint64N(tables))
	}
	return b
}

func heapText() []byte {
	random := source()
	b := []byte("heap profile: 1: 1 [1: 1] @ heap/1048576\n")
	for len(b) < size {
		b = fmt.Appendf(b, "1: 1 [1: 1] @ %#x %#x\n", random.Uint64N(tables), random.Uint64N(tables))
	}
	return b
}

func goroutineText() []byte {
	random := source()
	var b []byte
	for i := 1; len(b) < size; i++ {
		b = fmt.Appendf(b, "goroutine %d [running]:\nmain.f%d()\n\t/x.go:1\n\n", i, random.Uint64N(tables))
	}
	return b
}

// recorded returns what a real agent of Parca has sent.
func recorded(name string) []byte {
	b, err := os.ReadFile("internal/ingest/parca/testdata/" + name)
	if err != nil {
		log.Fatalf("run this in the root of hone's source tree: %v", err)
	}
	return b
}

// arrowRecords returns a recorded stream whose records come again and again.
func arrowRecords(name string, n int) []byte {
	stream := recorded(name)
	schema := 8 + int(binary.LittleEndian.Uint32(stream[4:]))
	records := bytes.TrimSuffix(stream[schema:], []byte("\xff\xff\xff\xff\x00\x00\x00\x00"))
	return append(stream[:schema:schema], bytes.Repeat(records, n/len(records))...)
}
