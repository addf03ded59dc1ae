package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/notify/alertmanagertest"
)

// TestNotifyShakespeare goes the whole way of an alert. Two versions of examples/shakespeare
// run; the second one is slower in one function. hone's agent sends their profiles. A server
// finds the regression and tells a real Alertmanager, and a receiver of JSON.
//
// The programs run for 14 seconds, and the server compares at least half an hour of a new
// version with the hours before. So the CPU profiles get other times on their way from the agent
// to the server: the first version seems to run for six hours, and then the second one for 40
// minutes. Nothing else of them is changed, and none is sent twice.
func TestNotifyShakespeare(t *testing.T) {
	if testing.Short() && os.Getenv("HONE_REAL") == "" {
		t.Skip("builds the example, and runs it for 15 s")
	}
	if runtime.GOOS == "windows" {
		t.Skip("interrupts programs")
	}
	// Few samples may not decide, or lead to a caller further up. Each attempt has its own.
	for attempt := range 3 {
		if notifyShakespeare(t, attempt == 2) || t.Failed() {
			return
		}
	}
}

// notifyShakespeare reports whether the alert came. If it has to, the test fails without it.
func notifyShakespeare(t *testing.T, must bool) bool {
	am := alertmanagertest.Start(t)
	const fast, slow = "4", "5"
	deployed := time.Now().Add(-40 * time.Minute)

	// A server that looks every five minutes gets the profiles before it looks.
	data := t.TempDir()
	d := startServe(t, data)
	pushes := runShakespeare(t, fast, slow)
	spread(t, d.url, pushes[fast], deployed.Add(-6*time.Hour), deployed)
	spread(t, d.url, pushes[slow], deployed, time.Now())
	d.end()

	receiver := &jsonReceiver{}
	hook := httptest.NewServer(receiver)
	defer hook.Close()
	config := writeConfig(t, fmt.Sprintf(`
[regressions]
every = "1s"
budget = 1.0
[[notify]]
name = "alerts"
format = "alertmanager"
url = %q
repeat = "1s"
[[notify]]
name = "chat"
format = "json"
url = %q
`, am.URL, hook.URL))
	d = startServe(t, data, "-config", config)
	// The first version spends so little in wordsWith that it may have no sample. Then its only caller has grown.
	of := func() []alertmanagertest.Alert {
		return slices.DeleteFunc(am.Alerts(), func(a alertmanagertest.Alert) bool {
			return !strings.Contains(a.Labels["function"], "main.(*index).wordsWith") && !strings.Contains(a.Labels["function"], "main.(*index).count")
		})
	}
	for begin := time.Now(); !must && len(of()) == 0; time.Sleep(100 * time.Millisecond) {
		if time.Since(begin) > 20*time.Second {
			t.Logf("not found with these samples; other alerts: %+v", am.Alerts())
			d.end()
			return false
		}
	}
	am.Wait("the alert about wordsWith is there", func() bool { return len(of()) > 0 })
	a := of()[0]
	t.Logf("%d alerts; %s. %s", len(am.Alerts()), a.Annotations["summary"], a.Annotations["description"])
	below := "New below it: main.find"
	if strings.Contains(a.Labels["function"], "count") {
		below = "New below it: main.(*index).wordsWith"
	}
	if a.Labels["service"] != "shakespeare" || a.Labels["version"] != slow || a.Labels["kind"] != "cpu" || a.StartsAt.Sub(deployed).Abs() > time.Minute || !strings.Contains(a.Annotations["description"], below) {
		t.Errorf("got %+v", a)
	}
	wantComparison(t, a.GeneratorURL, d.url)
	am.Wait("the other receiver hears of it", func() bool { return len(receiver.all()) >= len(am.Alerts()) })
	if got := receiver.all(); len(got) != len(am.Alerts()) || !slices.Contains(got, "opened "+a.Labels["regression"]) {
		t.Errorf("messages: %q, want one per alert of %d", got, len(am.Alerts()))
	}
	d.end()

	before, ends := receiver.all(), of()[0].EndsAt
	d = startServe(t, data, "-config", config)
	am.Wait("the alert is repeated after a restart", func() bool { return len(of()) > 0 && of()[0].EndsAt.After(ends) })
	if n := len(of()); n != 1 || len(receiver.all()) != len(before) {
		t.Errorf("after a restart: %d alerts, messages %q before and %q now", n, before, receiver.all())
	}
	for _, one := range am.Alerts() {
		d.succeed("regressions", "-ack", one.Labels["regression"])
	}
	am.Wait("acknowledged ones are over", func() bool { return len(am.Alerts()) == 0 })
	if n := len(receiver.all()); n != len(before) {
		t.Errorf("%d messages about acknowledged regressions", n-len(before))
	}
	d.end()
	return true
}

// wantComparison fails unless the link of an alert is a page of the server, and the comparison
// there is the one with the slow function.
func wantComparison(t *testing.T, link, server string) {
	t.Helper()
	if !strings.HasPrefix(link, server+"/diff?") {
		t.Fatalf("the link is %s, want a page of %s", link, server)
	}
	for _, at := range []string{link, strings.Replace(link, "/diff?", "/api/v1/report/diff?", 1)} {
		resp, err := http.Get(at)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || at != link && !bytes.Contains(text, []byte("main.(*index).wordsWith")) {
			t.Errorf("%s: %s, %v, %.3000s", at, resp.Status, err, text)
		}
	}
}

// A jsonReceiver takes notifications in JSON.
type jsonReceiver struct {
	mu     sync.Mutex
	events []string
}

func (r *jsonReceiver) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	var body struct {
		Events []struct {
			Event      string
			Regression api.Regression
		}
	}
	err := json.NewDecoder(req.Body).Decode(&body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.events = append(r.events, err.Error())
	}
	for _, e := range body.Events {
		r.events = append(r.events, e.Event+" "+e.Regression.ID)
	}
}

func (r *jsonReceiver) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

// runShakespeare runs two versions of the example next to each other, under the same load, and
// returns the CPU profiles that the agent in them sends.
func runShakespeare(t *testing.T, fast, slow string) map[string][]push {
	t.Helper()
	agents := &agentServer{pushes: map[string][]push{}}
	server := httptest.NewServer(agents)
	defer server.Close()
	programs := map[string]string{fast: buildShakespeare(t, nil), slow: buildShakespeare(t, []string{
		"main.go", "strconv.Itoa(*version)", "strconv.Itoa(*version + 1)",
		"tuned.go", "i := strings.Index(x.words[at:], text)", "i := find(x.words[at:], text)",
		"first.go", "func matchSubstring(", `func find(words, text string) int {
			at := regexp.MustCompile("(?i)" + regexp.QuoteMeta(text)).FindStringIndex(words)
			if at == nil {
				return -1
			}
			return at[0]
		}

		func matchSubstring(`,
	})}
	var all sync.WaitGroup
	for version, program := range programs {
		all.Go(func() {
			if err := runProgram(t, program, server.URL); err != nil {
				t.Errorf("version %s: %v", version, err)
			}
		})
	}
	if all.Wait(); t.Failed() {
		t.FailNow()
	}
	return agents.pushes
}

// buildShakespeare builds the example with changes: a file, a text in it, and what to put in its
// place, each.
func buildShakespeare(t *testing.T, changes []string) string {
	t.Helper()
	example, err := filepath.Abs("../../examples/shakespeare")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	changed := map[string]string{}
	for change := range slices.Chunk(changes, 3) {
		file := filepath.Join(example, change[0])
		text, err := os.ReadFile(file)
		if err != nil || strings.Count(string(text), change[1]) != 1 {
			t.Fatalf("%s has %q not once: %v", file, change[1], err)
		}
		changed[file] = filepath.Join(dir, change[0])
		write(t, changed[file], strings.Replace(string(text), change[1], change[2], 1))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": changed})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "overlay.json"), string(overlay))
	program := filepath.Join(dir, "shakespeare")
	build := exec.Command("go", "build", "-C", example, "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, ".")
	build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// runProgram runs a program with the agent under load, and ends it.
func runProgram(t *testing.T, program, server string) error {
	cmd := exec.CommandContext(t.Context(), program, "-version", "4", "-listen", "127.0.0.1:0", "-hone", server, "-period", "1s")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_, at, _ := strings.Cut(strings.TrimSpace(line), "serving on ")
	if err == nil {
		err = loadShakespeare(at)
	}
	// The agent sends what it has when the program is interrupted.
	if serr := cmd.Process.Signal(os.Interrupt); err == nil {
		err = serr
	}
	if werr := cmd.Wait(); err == nil {
		err = werr
	}
	return err
}

// loadShakespeare asks for 14 s, as fast as two clients can, and at least 8000 times. Most questions are refused, which
// costs the same in all versions. Without such work, a service that costs more can't be told from
// one with more load.
func loadShakespeare(at string) error {
	const parallel, least, refused, lasts = 2, 8000, 120, 14 * time.Second
	words := []string{"love", "the king", "sea", "my lord", "insolence"}
	errs := make(chan error, parallel)
	for range parallel {
		go func() {
			var err error
			for i, start := 0, time.Now(); err == nil && (time.Since(start) < lasts || i < least/parallel); i++ {
				query := ""
				if i%refused == 0 {
					query = words[i/refused%len(words)]
				}
				err = askShakespeare(at, query)
			}
			errs <- err
		}()
	}
	var err error
	for range parallel {
		err = errors.Join(err, <-errs)
	}
	return err
}

// askShakespeare asks in how many lines a text is. An empty text is refused.
func askShakespeare(at, query string) error {
	resp, err := http.Post(at+"/shakespeare.v1.Works/CountLines", "application/json", strings.NewReader(strconv.Quote(query)))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if n, perr := strconv.Atoi(strings.Trim(string(text), "\"\n")); (perr != nil || n == 0) != (query == "") {
		return fmt.Errorf("%q: %s: %.200s, %v", query, resp.Status, text, err)
	}
	return nil
}

// A push is a profile that an agent sends.
type push struct {
	query url.Values
	body  []byte
}

// An agentServer keeps the CPU profiles that agents send, by version. It drops other kinds, of
// which a few seconds say little.
type agentServer struct {
	mu     sync.Mutex
	pushes map[string][]push
}

func (s *agentServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if q := r.URL.Query(); q.Get("kind") == "cpu" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.pushes[q.Get("version")] = append(s.pushes[q.Get("version")], push{q, body})
	}
	w.WriteHeader(http.StatusNoContent)
}

// spread sends profiles to a server, as if they were taken at equal distances in a span of time.
func spread(t *testing.T, server string, pushes []push, from, to time.Time) {
	t.Helper()
	if len(pushes) < 5 {
		t.Fatalf("the agent sent %d CPU profiles", len(pushes))
	}
	for i, p := range pushes {
		at := from.Add(to.Sub(from) * time.Duration(i) / time.Duration(len(pushes)))
		p.query.Set("time", strconv.FormatInt(at.UnixNano(), 10))
		resp, err := http.Post(server+"/api/v1/profiles?"+p.query.Encode(), "application/octet-stream", bytes.NewReader(p.body))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusNoContent {
			t.Fatalf("a push: %s, %s", resp.Status, text)
		}
	}
}
