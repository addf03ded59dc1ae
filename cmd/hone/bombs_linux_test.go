package main

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/base64"
	bin "encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/ingest/parca/arrow"
)

// A bombFile is a profile that repeats one small element many times.
type bombFile struct {
	head, piece string
	says        string // in the refusal
}

// oneType is the head of a profile of the sample type cpu/ns.
const oneType = "\x0a\x04\x08\x01\x10\x02\x32\x00\x32\x03cpu\x32\x02ns"

const (
	overMemory = `more than \d+ bytes in memory for the \d+ sent, the limit`
	overBytes  = `more than \d+ bytes when decompressed for the \d+ sent, the limit`
	overClaim  = `claims \d+ bytes, the limit is \d+`
	overCount  = `more than \d+ [a-z ]+, the limit`
)

var bombFiles = map[string]bombFile{
	"empty-strings":     {oneType, "\x32\x00", overMemory},
	"small-samples":     {oneType, "\x12\x03\x12\x01\x01", overMemory},
	"empty-samples":     {oneType, "\x12\x00", overMemory},
	"locations":         {oneType, "\x22\x02\x08\x01", overMemory},
	"empty-locations":   {oneType, "\x22\x00", "reserved id 0"},
	"empty-functions":   {oneType, "\x2a\x00", "reserved id 0"},
	"empty-mappings":    {oneType, "\x1a\x00", "reserved id 0"},
	"comments":          {oneType, "\x68\x01", overMemory},
	"periods":           {oneType, "\x60\x01", overBytes},
	"one-packed-sample": {oneType + "\x12\x80\x80\x80\x80\x01\x0a\xf0\xff\xff\x7f", "\x01", overClaim},
	"unknown-field":     {oneType + "\xfa\x01\x80\x80\x80\x80\x01", "A", overClaim},
	"zeros":             {"", "\x00", overBytes},
	"heap-text":         {"heap profile: 1: 1 [1: 1] @ heap/1048576\n", "1: 1 [1: 1] @ 0x1 0x2\n", overMemory},
	"long-line":         {"goroutine profile: total 1\n1 @ ", "0x1 ", overCount},
	"goroutines":        {"", "goroutine 1 [running]:\nmain.main()\n\t/x.go:1\n\n", overMemory},
}

const bombSize = 256 << 20 // decompressed

// compressed returns a gzip member of head and size bytes of piece. The block
// that repeats is deflated once: it refers to nothing before it.
func compressed(head, piece string, size int) []byte {
	var out bytes.Buffer
	gzip.NewWriter(&out).Flush() // a header, and an empty block
	deflated := func(text []byte) []byte {
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, flate.DefaultCompression)
		w.Write(text)
		w.Flush()
		return b.Bytes()
	}
	out.Write(deflated([]byte(head)))
	sum := crc32.ChecksumIEEE([]byte(head))
	block := bytes.Repeat([]byte(piece), 1<<20/len(piece))
	again := deflated(block)
	n := size
	for ; n >= len(block); n -= len(block) {
		out.Write(again)
		sum = crc32.Update(sum, crc32.IEEETable, block)
	}
	out.Write(deflated(block[:n]))
	sum = crc32.Update(sum, crc32.IEEETable, block[:n])
	out.WriteString("\x03\x00") // the last block, which is empty
	end := bin.LittleEndian.AppendUint32(nil, sum)
	out.Write(bin.LittleEndian.AppendUint32(end, uint32(len(head)+size)))
	return out.Bytes()
}

var made sync.Map // of bombFiles, by name, compressed

// compressedBomb returns one of bombFiles as it is sent.
func compressedBomb(name string) []byte {
	data, ok := made.Load(name)
	if !ok {
		b := bombFiles[name]
		data, _ = made.LoadOrStore(name, compressed(b.head, b.piece, bombSize))
	}
	return data.([]byte)
}

// nestedGzip is a profile that is compressed over and over.
func nestedGzip() []byte {
	data := []byte(oneType + "\x12\x04\x0a\x00\x12\x00")
	for range 12 {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(data)
		z.Close()
		data = b.Bytes()
	}
	return data
}

// bombedHone returns a command of hone as a process of its own.
func bombedHone(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), "HONE_TEST_HONE=1")
	return cmd
}

func peakMB(cmd *exec.Cmd) int64 { return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10 }

// TestCompressedBomb: what the other tests send is what they mean to send.
func TestCompressedBomb(t *testing.T) {
	z, err := gzip.NewReader(bytes.NewReader(compressed("head", "ab", 3<<20+4)))
	if err != nil {
		t.Fatal(err)
	}
	z.Multistream(false) // it is one
	got, err := io.ReadAll(z)
	if want := "head" + strings.Repeat("ab", 3<<19+2); err != nil || string(got) != want {
		t.Errorf("%d bytes, %v; want %d", len(got), err, len(want))
	}
}

// TestOpenBombs opens files that are made to take all memory.
func TestOpenBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("decompresses files of 256 MB")
	}
	dir := t.TempDir()
	// Of two sources at a time it doesn't matter what they are, but how much they
	// take.
	largest := []string{"goroutines", "heap-text", "small-samples"}
	open := func(name string, data []byte, says string) {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		commands := [][]string{{"top", file}}
		if slices.Contains(largest, name) {
			commands = append(commands, []string{"diff", file, file}, []string{"top", file, file})
		}
		for _, args := range commands {
			cmd := bombedHone(t, args...)
			out, err := cmd.CombinedOutput()
			if err == nil || !regexp.MustCompile(says).Match(out) || bytes.Contains(out, []byte("panic")) || !bytes.Contains(out, []byte(file)) {
				t.Errorf("hone %s: %v: %.500q; want one with %s", strings.Join(args, " "), err, out, says)
			}
			if peak := peakMB(cmd); peak > 512 {
				t.Errorf("hone %s took %d MB: %.200s", strings.Join(args, " "), peak, out)
			}
		}
	}
	for name, b := range bombFiles {
		open(name, compressedBomb(name), b.says)
	}
	open("nested-gzip", nestedGzip(), "profile")
}

// A bombed is a server that gets bombs.
type bombed struct {
	*testing.T
	cmd    *exec.Cmd
	url    string
	client *http.Client
	began  int64 // what is sent is of after that, s since 1970
	sent   atomic.Int64
}

// startBombed starts a server whose first line says where it is.
func startBombed(t *testing.T, line *regexp.Regexp, args ...string) *bombed {
	cmd := bombedHone(t, args...)
	// A page's uploads are decoded by as many. On a busy machine garbage lies about
	// for longer unless there is a limit: with one, what is measured is what is held.
	cmd.Env = append(cmd.Env, "GOMAXPROCS=2", "GOMEMLIMIT=400MiB")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{Protocols: new(http.Protocols), MaxIdleConnsPerHost: 16}
	tr.Protocols.SetUnencryptedHTTP2(args[0] == "serve")
	tr.Protocols.SetHTTP1(args[0] != "serve")
	b := &bombed{T: t, cmd: cmd, began: time.Now().Add(-time.Hour).Unix(), client: &http.Client{Transport: tr, Timeout: 3 * time.Minute}}
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
		if t.Failed() {
			t.Logf("%s: %s", args[0], log.Bytes()[:min(log.Len(), 4096)])
		}
	})
	text := make([]byte, 4096)
	n, err := out.Read(text)
	m := line.FindStringSubmatch(string(text[:n]))
	if m == nil {
		t.Fatalf("hone %s says %s (%v)", args[0], text[:n], err)
	}
	b.url = m[1]
	return b
}

// A shot is a request with a bomb.
type shot struct {
	name, path, kind string
	encoding         string // "grpc" is that of a message
	body             []byte
	says             string // of the refusal; "" is accepted
}

// send sends a shot and returns whether it was accepted and what was answered.
func (b *bombed) send(s shot) (accepted bool, answer string) {
	r, err := http.NewRequestWithContext(b.Context(), "POST", b.url+strings.ReplaceAll(s.path, "TIME", fmt.Sprint(b.began+10*b.sent.Add(1))), bytes.NewReader(s.body))
	if err != nil {
		b.Error(err)
		return false, ""
	}
	r.Header.Set("Content-Type", s.kind)
	switch s.encoding {
	case "grpc":
		r.Header.Set("Grpc-Encoding", "gzip")
		r.Header.Set("Te", "trailers")
	case "":
	default:
		r.Header.Set("Content-Encoding", s.encoding)
	}
	resp, err := b.client.Do(r)
	if err != nil {
		b.Errorf("%s: %v", s.name, err)
		return false, ""
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	header := func(name string) string { return resp.Header.Get(name) + resp.Trailer.Get(name) }
	status := header("Grpc-Status")
	answer = fmt.Sprintf("%s %s %s %.400s", resp.Status, status, header("Grpc-Message"), text)
	if resp.StatusCode >= 500 && resp.StatusCode != 503 || status != "" && !slices.Contains([]string{"0", "3", "8", "14"}, status) {
		b.Errorf("%s: %s", s.name, answer)
	}
	return resp.StatusCode < 400 && (status == "" || status == "0"), answer
}

// peak returns the most memory that the server has taken so far, in MB, without the pages
// of its own file: those are in the system's cache, 37 MB of them or 54, by how it has
// read the file.
func (b *bombed) peak() int64 {
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.cmd.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	value := func(name string) (kb int64) {
		_, rest, _ := strings.Cut(string(state), name+":")
		if _, err := fmt.Sscan(rest, &kb); err != nil {
			b.Fatalf("%s of the server: %v", name, err)
		}
		return kb
	}
	return (value("VmHWM") - value("RssFile")) >> 10
}

// insist sends a shot again while what came before it still has the memory.
func (b *bombed) insist(s shot) (accepted bool, answer string) {
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		accepted, answer = b.send(s)
		if !strings.Contains(answer, "too many profiles are being sent right now") || time.Since(start) > time.Minute {
			return accepted, answer
		}
	}
}

// bombard sends each shot by itself, to see what it is told, and then all of them
// some times over, many at once. Between the two it calls arm.
func (b *bombed) bombard(shots []shot, times int, most int64, arm func()) {
	for _, s := range shots {
		began := time.Now()
		accepted, answer := b.insist(s)
		if accepted != (s.says == "") || !accepted && !regexp.MustCompile(s.says).MatchString(answer) {
			b.Errorf("%s: %s; want one with %q", s.name, answer, s.says)
		}
		b.Logf("%s: %v, %d MB so far: %.200s", s.name, time.Since(began).Round(time.Millisecond), b.peak(), answer)
	}
	if peak := b.peak(); peak > 512 {
		b.Errorf("one at a time the server has taken %d MB", peak)
	}
	arm()
	// These take time alone: once is enough.
	shots = slices.DeleteFunc(shots, func(s shot) bool { return s.says == overBytes })
	var wg sync.WaitGroup
	var next atomic.Int64
	for range 16 {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < times*len(shots); i = int(next.Add(1)) - 1 {
				s := shots[i*7%len(shots)] // of other protocols at a time
				if accepted, answer := b.send(s); accepted && s.says != "" {
					b.Errorf("%s: %s", s.name, answer)
				}
			}
		})
	}
	wg.Wait()
	if peak := b.peak(); peak > most {
		b.Errorf("the server has taken %d MB", peak)
	} else {
		b.Logf("the server has taken %d MB", peak)
	}
}

// bombTargets serves heap profiles and, once it is armed, each bomb once, by the first
// element of the path. fetched tells how many of them were.
func bombTargets(t *testing.T) (targets []string, arm func(), fetched func() int) {
	heap, err := os.ReadFile(testdata("heap.leak.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	left := map[string]bool{}
	armed := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		mu.Lock()
		first := armed && left[name]
		if first {
			delete(left, name)
		}
		mu.Unlock()
		if first {
			w.Write(compressedBomb(name))
		} else {
			w.Write(heap)
		}
	}))
	t.Cleanup(server.Close)
	for name := range bombFiles {
		left[name] = true
		targets = append(targets, server.URL+"/"+name)
	}
	arm = func() {
		mu.Lock()
		defer mu.Unlock()
		armed = true
	}
	fetched = func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(bombFiles) - len(left)
	}
	return targets, arm, fetched
}

// TestServeBombs sends bombs by every protocol, and lets them be scraped, to a
// server whose memory is bounded; a push has to get through afterwards.
func TestServeBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("decompresses requests of 256 MB")
	}
	targets, arm, fetched := bombTargets(t)
	config := writeConfig(t, fmt.Sprintf(`[server]
in_flight = "256MiB"
[queries]
cache = "16MiB"
[limits]
delta_bytes = 16777216
[[scrape]]
name = "bombs"
interval = "4s"
profiles = {cpu = {enabled = false}, goroutine = {enabled = false}, mutex = {enabled = false}, block = {enabled = false}, goroutineleak = {enabled = false}}
[[scrape.static]]
targets = ["%s"]
`, strings.Join(targets, `", "`)))
	b := startBombed(t, servingLine, "serve", "-data", t.TempDir(), "-listen", "127.0.0.1:0", "-config", config)
	const most = 900 // MB: in_flight twice, and what else there is
	b.bombard(serveShots(t), 2, most, arm)
	for start := time.Now(); fetched() < len(bombFiles); time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatalf("%d bombs of %d are scraped", fetched(), len(bombFiles))
		}
	}
	if peak := b.peak(); peak > most {
		t.Errorf("with the last scrapes the server has taken %d MB", peak)
	}
	good, err := os.ReadFile(testdata("cpu.json-decode.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if accepted, answer := b.insist(shot{name: "a push after all", path: "/api/v1/profiles?service=x", body: good}); !accepted {
		t.Error(answer)
	}
}

// serveShots returns bombs in all the ways in which they can be pushed.
func serveShots(t *testing.T) (shots []shot) {
	length := func(key byte, b []byte) []byte { return append(bin.AppendUvarint([]byte{key}, uint64(len(b))), b...) }
	message := func(flag byte, b []byte) []byte {
		return append(bin.BigEndian.AppendUint32([]byte{flag}, uint32(len(b))), b...)
	}
	label := func(name, value string) []byte {
		return append(length(0x0a, []byte(name)), length(0x12, []byte(value))...)
	}
	const (
		parca     = "/parca.profilestore.v1alpha1.ProfileStoreService/"
		otlp      = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"
		pyroscope = "/push.v1.PusherService/Push"
		proto     = "application/proto"
		grpc      = "application/grpc"
		overCall  = `takes more than \d+ bytes of memory, the limit|larger than \d+ bytes when decompressed`
		fields    = `too many fields`
		early     = `Arrow stream ends early|larger than \d+ bytes when decompressed`
	)
	for _, name := range slices.Sorted(maps.Keys(bombFiles)) {
		shots = append(shots, shot{name: name, path: "/api/v1/profiles?service=x", body: compressedBomb(name), says: bombFiles[name].says})
	}
	// PushRequest { series = 1 { labels = 1 { name = 1, value = 2 }, samples = 2 { raw_profile = 1 } } }
	pushed := func(name string) []byte {
		labels := append(length(0x0a, label("__name__", "process_cpu")), length(0x0a, label("service_name", "x"))...)
		return length(0x0a, append(labels, length(0x12, length(0x0a, compressedBomb(name)))...))
	}
	// WriteRawRequest { series = 1 { labels = 1 { labels = 1 { name = 1, value = 2 } }, samples = 2 { raw_profile = 1 } } }
	raw := func(name string) []byte {
		labels := length(0x0a, length(0x0a, label("__name__", "cpu")))
		return length(0x12, append(labels, length(0x12, length(0x0a, compressedBomb(name)))...))
	}
	// ExportProfilesServiceRequest { dictionary = 2 { strings = 5 } }
	dictionary := compressed("\x12\x80\x80\x80\x1c", "\x2a\x00", 56<<20)
	series := compressed("", "\x0a\x00", 56<<20) // { series = 1 {} }
	// WriteArrowRequest, WriteRequest { stream = 1 }
	arrows := compressed("\x0a\x80\x80\x80\x1c", "\xff\xff\xff\xff", 56<<20)
	texts := length(0x0a, arrow.AppendTexts(nil, "stacktrace_id", make([][]byte, 1<<20)))
	samples, err := os.ReadFile(filepath.Join("..", "..", "internal", "ingest", "parca", "testdata", "v1.samples.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	offline := fmt.Sprintf(`{"profileType":"CPU","deployment":{"projectId":"p","target":"x"},"profileBytes":%q}`, base64.StdEncoding.EncodeToString(compressedBomb("empty-strings")))
	// Counts from the start of a process: the next one of a series is compared with
	// the last.
	counted := func(n int) (kind string, body []byte) {
		var b bytes.Buffer
		form := multipart.NewWriter(&b)
		for name, data := range map[string][]byte{"profile": compressed(oneType, "\x12\x03\x12\x01\x01", 5*n), "sample_type_config": []byte(`{"cpu":{"cumulative":true}}`)} {
			f, err := form.CreateFormFile(name, name)
			if err != nil {
				t.Fatal(err)
			}
			f.Write(data)
		}
		form.Close()
		return form.FormDataContentType(), b.Bytes()
	}
	smallKind, small := counted(200_000)
	largeKind, large := counted(1_500_000)
	const delta = "/ingest?name=counts&from=TIME"
	return append(shots,
		shot{name: "nested gzip", path: "/api/v1/profiles?service=x", body: nestedGzip(), says: "profile"},
		shot{name: "pyroscope", path: "/ingest?name=x&format=pprof", body: compressedBomb("small-samples"), says: overMemory},
		shot{name: "pyroscope text", path: "/ingest?name=x&format=groups", encoding: "gzip", body: compressed("", "a;b 1\n", bombSize), says: overCall},
		shot{name: "pyroscope lines", path: "/ingest?name=x&format=lines", encoding: "gzip", body: compressed("", "a\n", 60<<20), says: overCall},
		shot{name: "pyroscope push", path: pyroscope, kind: proto, body: pushed("empty-strings"), says: overMemory},
		shot{name: "pyroscope push gzip", path: pyroscope, kind: proto, encoding: "gzip", body: series, says: overCall + "|" + fields},
		shot{name: "pyroscope push grpc", path: pyroscope, kind: grpc, encoding: "grpc", body: message(0, pushed("comments")), says: overMemory},
		shot{name: "pyroscope push grpc gzip", path: pyroscope, kind: grpc, encoding: "grpc", body: message(1, series), says: overCall + "|" + fields},
		shot{name: "counts", path: delta, kind: smallKind, body: small},
		shot{name: "more counts", path: delta, kind: smallKind, body: small},
		shot{name: "many counts", path: delta, kind: largeKind, body: large},
		shot{name: "many more counts", path: delta, kind: largeKind, body: large},
		shot{name: "parca", path: parca + "WriteRaw", kind: proto, body: raw("comments"), says: overMemory},
		shot{name: "parca grpc", path: parca + "WriteRaw", kind: grpc, encoding: "grpc", body: message(1, compressed("", "\x12\x00", bombSize)), says: overCall},
		shot{name: "parca arrow", path: parca + "WriteArrow", kind: grpc, encoding: "grpc", body: message(1, arrows), says: early},
		shot{name: "parca arrow connect", path: parca + "WriteArrow", kind: proto, encoding: "gzip", body: arrows, says: early},
		shot{name: "parca stream", path: parca + "Write", kind: grpc, encoding: "grpc", body: message(1, arrows), says: early},
		shot{name: "parca stacks", path: parca + "Write", kind: grpc, encoding: "grpc", body: append(message(0, length(0x0a, samples)), message(1, compressed("", "\x00", bombSize))...), says: overCall},
		shot{name: "parca texts", path: parca + "WriteArrow", kind: grpc, body: message(0, texts), says: `schema ""`},
		shot{name: "otlp grpc", path: otlp, kind: grpc, encoding: "grpc", body: message(1, dictionary), says: overCall},
		shot{name: "otlp connect", path: otlp, kind: proto, encoding: "gzip", body: dictionary, says: overCall},
		shot{name: "otlp http", path: "/v1development/profiles", kind: "application/x-protobuf", encoding: "gzip", body: dictionary, says: overCall},
		shot{name: "cloud profiler", path: "/v2/projects/p/profiles:createOffline", kind: "application/json", body: []byte(offline), says: overMemory},
		shot{name: "upload", path: "/api/v1/profiles?name=x", kind: "application/octet-stream", body: compressedBomb("empty-samples"), says: overMemory},
	)
}

// TestUIBombs sends bombs to the pages of profiles, which go on.
func TestUIBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("decompresses requests of 256 MB")
	}
	file := testdata("cpu.json-decode.pb.gz")
	line := regexp.MustCompile(`Serving.* on (http://[^/]+)/`)
	for _, args := range [][]string{{"ui", "-no_browser", file}, {"pprof", "-no_browser", "-http=127.0.0.1:0", file}} {
		t.Run(args[0], func(t *testing.T) {
			b := startBombed(t, line, args...)
			names := slices.Sorted(maps.Keys(bombFiles))
			if args[0] == "pprof" { // the same server, started otherwise
				names = []string{"comments", "goroutines", "small-samples"}
			}
			var shots []shot
			for _, name := range names {
				shots = append(shots, shot{name: name, path: "/api/v1/profiles?name=x", kind: "application/octet-stream", body: compressedBomb(name), says: bombFiles[name].says})
			}
			b.bombard(shots, 1, 1000, func() {})
			good, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if accepted, answer := b.send(shot{name: "a profile after all", path: "/api/v1/profiles?name=x", kind: "application/octet-stream", body: good}); !accepted {
				t.Error(answer)
			}
		})
	}
}
