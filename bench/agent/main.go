// Agent measures what continuous profiling costs a server: the same server
// without an agent, with hone's at its defaults and with pyroscope-go at its
// defaults. See README.md.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var variants = []string{"none", "hone", "pyroscope"}

func main() {
	var (
		variant = flag.String("serve", "", "be the server, with this agent; the program starts itself with it")
		sink    = flag.String("sink", "", "the agent's server")
		rounds  = flag.Int("rounds", 10, "processes of each variant")
		windows = flag.Int("windows", 2, "measured windows of each process")
		window  = flag.Duration("window", time.Minute, "length of a window; whole minutes, since hone's agent has a period of one")
		warmup  = flag.Duration("warmup", 5*time.Second, "before the first window")
		rate    = flag.Int("rate", 600, "requests per second to each server")
		out     = flag.String("out", "", "add a line of JSON for each window to `file`")
	)
	flag.Parse()
	var err error
	if *variant != "" {
		err = serve(*variant, *sink)
	} else {
		err = measure(*rounds, *windows, *window, *warmup, *rate, *out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

// result is a window of one server.
type result struct {
	Round    int     `json:"round"`
	Window   int     `json:"window"`
	Variant  string  `json:"variant"`
	Requests int64   `json:"requests"`
	Seconds  float64 `json:"seconds"`
	CPU      float64 `json:"cpu_seconds"`
}

func (r result) perRequest() float64 { return r.CPU / float64(r.Requests) * 1e6 } // µs

func measure(rounds, windows int, window, warmup time.Duration, rate int, out string) error {
	sink := newSink()
	defer sink.Close()
	var log io.Writer = io.Discard
	if out != "" {
		f, err := os.OpenFile(out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		log = f
	}
	var all []result
	for round := range rounds {
		results, err := oneRound(round, windows, window, warmup, rate, sink.URL)
		if err != nil {
			return err
		}
		for _, r := range results {
			if err := json.NewEncoder(log).Encode(r); err != nil {
				return err
			}
		}
		all = append(all, results...)
		fmt.Printf("-- after %d of %d rounds\n", round+1, rounds)
		report(all)
		sink.print()
	}
	return nil
}

// oneRound runs a process of each variant side by side and gives each its
// requests in turn, so that whatever else the machine does hits all alike.
func oneRound(round, windows int, window, warmup time.Duration, rate int, sink string) ([]result, error) {
	var servers []*server
	for _, i := range rand.Perm(len(variants)) {
		s, err := startServer(variants[i], sink)
		if err != nil {
			return nil, err
		}
		defer s.stop()
		servers = append(servers, s)
	}
	stop := make(chan struct{})
	var load sync.WaitGroup
	load.Go(func() { drive(servers, rate, stop) })
	defer load.Wait()
	defer close(stop)

	time.Sleep(warmup)
	var results []result
	for w := range windows {
		start := time.Now()
		before := make([]result, len(servers))
		for i, s := range servers {
			var err error
			if before[i], err = s.sample(); err != nil {
				return nil, err
			}
		}
		time.Sleep(window)
		for i, s := range servers {
			r, err := s.sample()
			if err != nil {
				return nil, err
			}
			r.CPU -= before[i].CPU
			r.Requests -= before[i].Requests
			r.Round, r.Window, r.Variant, r.Seconds = round, w, s.variant, time.Since(start).Seconds()
			results = append(results, r)
		}
	}
	for _, s := range servers {
		if n := s.failed.Load(); n > 0 {
			return nil, fmt.Errorf("%s: %d requests failed", s.variant, n)
		}
	}
	return results, nil
}

// drive sends requests at a fixed rate: every 1/rate seconds one to each
// server. One that is late is sent at once, so that all get the same number.
func drive(servers []*server, rate int, stop chan struct{}) {
	bodies := make([][]byte, 256)
	for i := range bodies {
		bodies[i], _ = json.Marshal(makeOrder(rand.N(customers), i)) // cannot fail
	}
	slots := make(chan int, 64)
	var senders sync.WaitGroup
	for range 8 {
		senders.Go(func() {
			for n := range slots {
				for _, i := range rand.Perm(len(servers)) {
					servers[i].post(bodies[n%len(bodies)])
				}
			}
		})
	}
	start := time.Now()
	for n := 0; ; n++ {
		time.Sleep(time.Until(start.Add(time.Duration(n) * time.Second / time.Duration(rate))))
		select {
		case <-stop:
			close(slots)
			senders.Wait()
			return
		case slots <- n:
		}
	}
}

// server is a child process.
type server struct {
	variant string
	cmd     *exec.Cmd
	stdin   io.Closer
	url     string
	client  *http.Client

	sent, failed atomic.Int64
}

func startServer(variant, sink string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &server{variant: variant, cmd: exec.Command(self, "-serve", variant, "-sink", sink)}
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	s.cmd.Stderr = os.Stderr
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	s.stdin = stdin
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("%s: it did not start: %w", variant, err)
	}
	s.url = "http://" + line[:len(line)-1]
	return s, nil
}

func (s *server) stop() {
	_ = s.stdin.Close()
	_ = s.cmd.Wait()
}

func (s *server) post(body []byte) {
	resp, err := s.client.Post(s.url+"/orders", "application/json", bytes.NewReader(body))
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			err = errors.New(resp.Status)
		}
	}
	if err != nil {
		s.failed.Add(1)
		return
	}
	s.sent.Add(1)
}

// sample returns the CPU time and requests so far.
func (s *server) sample() (result, error) {
	resp, err := s.client.Get(s.url + "/cpu")
	if err != nil {
		return result{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return result{}, err
	}
	ns, err := strconv.ParseInt(string(text), 10, 64)
	return result{CPU: float64(ns) / 1e9, Requests: s.sent.Load()}, err
}

// sink takes what agents upload, in their own processes' time.
type sink struct {
	*httptest.Server
	mu     sync.Mutex
	counts map[string]*[2]int64 // requests and bytes by path
}

func newSink() *sink {
	s := &sink{counts: make(map[string]*[2]int64)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		s.mu.Lock()
		c := s.counts[r.URL.Path]
		if c == nil {
			c = new([2]int64)
			s.counts[r.URL.Path] = c
		}
		c[0]++
		c[1] += n
		s.mu.Unlock()
		if r.URL.Path == "/api/v1/profiles" {
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	return s
}

func (s *sink) print() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, c := range s.counts {
		fmt.Printf("%s: %d uploads, %d KiB\n", path, c[0], c[1]>>10)
	}
}

// report prints the means of each variant and the differences from none,
// window by window, with 95 % intervals.
func report(all []result) {
	type key struct{ round, window int }
	perRequest, share := make(map[string]map[key]float64), make(map[string]map[key]float64)
	for _, v := range variants {
		perRequest[v], share[v] = make(map[key]float64), make(map[key]float64)
	}
	for _, r := range all {
		k := key{r.Round, r.Window}
		perRequest[r.Variant][k] = r.perRequest()
		share[r.Variant][k] = r.CPU / r.Seconds * 100
	}
	fmt.Printf("%-10s %8s %14s %28s %32s\n", "agent", "windows", "CPU µs/request", "more than none, %", "more than none, % of one CPU")
	for _, v := range variants {
		var values, relative, absolute []float64
		for k, x := range perRequest[v] {
			values = append(values, x)
			relative = append(relative, (x/perRequest["none"][k]-1)*100)
			absolute = append(absolute, share[v][k]-share["none"][k])
		}
		if v == "none" {
			fmt.Printf("%-10s %8d %14.1f\n", v, len(values), mean(values))
			continue
		}
		fmt.Printf("%-10s %8d %14.1f %28s %32s\n", v, len(values), mean(values), interval(relative), interval(absolute))
	}
	var less []float64
	for k := range share["hone"] {
		less = append(less, share["pyroscope"][k]-share["hone"][k])
	}
	fmt.Printf("pyroscope more than hone, %% of one CPU: %s\n", interval(less))
}

// interval returns the mean with its 95 % bootstrap interval.
func interval(values []float64) string {
	const resamples = 10_000
	means := make([]float64, resamples)
	for i := range means {
		sum := 0.0
		for range values {
			sum += values[rand.N(len(values))]
		}
		means[i] = sum / float64(len(values))
	}
	slices.SortFunc(means, cmp.Compare[float64])
	at := func(q float64) float64 { return means[int(math.Round(q*float64(resamples-1)))] }
	return fmt.Sprintf("%+.2f [%+.2f, %+.2f]", mean(values), at(0.025), at(0.975))
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
