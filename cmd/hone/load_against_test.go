package main

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/freeport"
)

// allocatingService is a service whose answers take some allocations.
const allocatingService = `package main

import (
	"fmt"
	"net/http"
	_ "net/http/pprof"
	"os"
)

var sink []*int

func allocate(w http.ResponseWriter, r *http.Request) {
	var some []*int
	for range NUMBER {
		some = append(some, new(int))
	}
	sink = some
	fmt.Fprintln(w, len(some))
}

func main() {
	http.HandleFunc("/", allocate)
	fmt.Println(http.ListenAndServe(os.Args[1], nil))
}
`

// versions makes a repository of a service that allocates n times in its commit and
// m times as it is, the current folder, and returns an address for it.
func versions(t *testing.T, n, m string) string {
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module example.com/service\n\ngo 1.24\n")
	os.Mkdir("server", 0o777)
	write(t, "server/main.go", strings.Replace(allocatingService, "NUMBER", n, 1))
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@y.example", "commit", "-qm", "start"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write(t, "server/main.go", strings.Replace(allocatingService, "NUMBER", m, 1))
	found, err := freeport.Addresses(1) // that nobody gets while the service is down
	if err != nil {
		t.Fatal(err)
	}
	return found[0]
}

func TestLoadAgainst(t *testing.T) {
	if testing.Short() {
		t.Skip("builds services and compares them")
	}
	address := versions(t, "20", "2000")
	args := []string{"load", "http", "-against", "HEAD", "-serve", "go run ./server " + address, "-rate", "500", "-duration", "200ms", "-warmup", "100ms",
		"-count", "10", "-precheck", "2", easy, "-pprof", address, "-profiletime", "1s", "-goal", "p99<=1h"}
	o := hone(t, append(args, "http://"+address+"/a")...)
	if o.code != exitMissed {
		t.Fatalf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	for _, want := range []string{
		"http://" + address + "/a  500/s, 10 × 200ms", "measured interleaved and compared pair by pair", "worse, confirmed", "REGRESSION  load/http GET/a allocs/op: worse",
		"what moved it, by allocation profiles", "main.allocate", "p99<=1h", "hone ui 20", "hone diff 20",
	} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in\n%s%s", want, o.stdout, o.stderr)
		}
	}
	entries, err := experiment.List(t.Context(), ".hone/runs")
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %d runs", err, len(entries))
	}
	run, err := experiment.Open(t.Context(), entries[0].Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []struct {
		phase   experiment.Phase
		samples int
	}{{experiment.PreCheck, 4}, {experiment.Measure, 20}, {experiment.Repeat, 20}} {
		for _, s := range run.Series(part.phase) {
			if len(s.Samples) != part.samples {
				t.Errorf("%d samples of %s in phase %d, want %d", len(s.Samples), s.Key, part.phase, part.samples)
			}
		}
	}
	if l, err := run.Load(); err != nil || len(l.Sides) != 2 || l.Sides[0].Succeeded != 2000 || l.Sides[1].Succeeded != 2000 {
		t.Errorf("%v, load.json: %+v", err, l)
	}
	// Read again, the verdict is the same.
	if o := hone(t, "compare", "latest"); !strings.Contains(o.stdout, "worse, confirmed") || !strings.Contains(o.stdout, "main.allocate") {
		t.Errorf("%s%s", o.stdout, o.stderr)
	}
	if c, err := net.Dial("tcp", address); err == nil {
		c.Close()
		t.Error("the service runs still")
	}

	// The other way round it is no regression; as JSON.
	write(t, "server/main.go", strings.Replace(allocatingService, "NUMBER", "2", 1))
	o = hone(t, "load", "http", "-against", "HEAD", "-serve", "go run ./server "+address, "-rate", "500", "-duration", "200ms", "-warmup", "100ms",
		"-count", "2", "-precheck", "0", easy, "-json", address)
	var out versusJSON
	if err := json.Unmarshal([]byte(o.stdout), &out); err != nil || o.code != exitOK || out.Regression || out.Head.Succeeded != 200 || out.Base.Succeeded != 200 ||
		len(out.Comparison) == 0 {
		t.Errorf("%v, exit code %d\n%s%s", err, o.code, o.stdout, o.stderr)
	}
}

func TestServe(t *testing.T) {
	if testing.Short() {
		t.Skip("builds services")
	}
	if runtime.GOOS == "windows" {
		t.Skip("commands have quotes, which take a shell")
	}
	address := versions(t, "20", "20")
	o := hone(t, "load", "http", "-against", "HEAD", "-serve", "go run ./server "+address, "-rate", "10", address)
	if o.code != exitOK || o.stdout != "no change: the program is the same as in HEAD\n" {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	o = hone(t, "load", "http", "-serve", "go run ./server "+address, "-users", "1", "-requests", "2", "-rounds", "3", address)
	if o.code != exitOK || !strings.Contains(o.stdout, "answered  6 requests") {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"http", "-against", "HEAD", address}, exitUsage, "-against needs -serve"},
		{[]string{"http", "-serve", " ", address}, exitUsage, "-serve is empty"},
		{[]string{"http", "-precheck", "2", address}, exitUsage, "-precheck needs -against REF"},
		{[]string{"http", "-ready", "2s", address}, exitUsage, "-ready needs -serve"},
		{[]string{"http", "-serve", "x", "-against", "HEAD", "-find", "p99<=1s", address}, exitUsage, "-find can't be combined with -against"},
		{[]string{"http", "-serve", "x", "http://{{row.host}}:80/"}, exitUsage, "use no template in {{row.host}}:80"},
		{[]string{"kafka", "-serve", "x", "-topic", "t", "-body", "x", "127.0.0.1:1"}, exitUsage, "use it with http or grpc"},
		{[]string{"http", "-serve", "go run ./nothing", address}, exitFailure, "head: ./nothing does not build: "},
		{[]string{"http", "-serve", "sh -c 'exit 3'", address}, exitFailure, "the service (head) ended before it answered at " + address + ": exit status 3"},
		{[]string{"http", "-serve", "x", "-against", "nowhere", address}, exitFailure, `no branch, tag or commit "nowhere"`},
	} {
		hone(t, append([]string{"load", c.args[0], "-rate", "1"}, c.args[1:]...)...).failsWith(t, c.code, c.want)
	}
}
