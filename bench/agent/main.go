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
	"net/url"
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
		sink   = flag.String("serve", "", "be the server, with agents that send to `address`; the program starts itself with it")
		rounds = flag.Int("rounds", 8, "how often three processes are started")
		window = flag.Duration("window", time.Minute, "length of a window; whole minutes, since hone's agent has a period of one")
		warmup = flag.Duration("warmup", 5*time.Second, "from a change of agents to the window")
		rate   = flag.Int("rate", 600, "requests per second to each server")
		out    = flag.String("out", "", "add a line of JSON for each window to `file`")
	)
	flag.Parse()
	var err error
	if *sink != "" {
		err = serve(*sink)
	} else {
		err = measure(*rounds, *window, *warmup, *rate, *out)
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
	Process  int     `json:"process"`
	Variant  string  `json:"variant"`
	Requests int64   `json:"requests"`
	Seconds  float64 `json:"seconds"`
	CPU      float64 `json:"cpu_seconds"`
}

func measure(rounds int, window, warmup time.Duration, rate int, out string) error {
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
		results, err := oneRound(round, window, warmup, rate, sink.URL)
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

// oneRound runs three processes side by side and gives each its requests in
// turn, so that whatever else the machine does hits all alike. In each of three
// windows each process has another agent, and in the end each has had all: what
// processes and windows differ in is in all variants alike.
func oneRound(round int, window, warmup time.Duration, rate int, sink string) ([]result, error) {
	var servers []*server
	for range variants {
		s, err := startServer(sink)
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

	order, turn := rand.Perm(len(variants)), 1+rand.N(len(variants)-1)
	var results []result
	for w := range variants {
		before := make([]result, len(servers))
		for i, s := range servers {
			s.variant = variants[order[(i+w*turn)%len(variants)]]
			if err := s.change(); err != nil {
				return nil, err
			}
		}
		time.Sleep(warmup)
		start := time.Now()
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
			r.Round, r.Window, r.Process, r.Variant, r.Seconds = round, w, i, s.variant, time.Since(start).Seconds()
			results = append(results, r)
		}
	}
	for i, s := range servers {
		if n := s.failed.Load(); n > 0 {
			return nil, fmt.Errorf("process %d: %d requests failed", i, n)
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
	variant string // of now
	cmd     *exec.Cmd
	stdin   io.Closer
	url     string
	client  *http.Client

	sent, failed atomic.Int64
}

func startServer(sink string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &server{cmd: exec.Command(self, "-serve", sink)}
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
		return nil, fmt.Errorf("a server did not start: %w", err)
	}
	s.url = "http://" + line[:len(line)-1]
	return s, nil
}

func (s *server) stop() {
	_ = s.stdin.Close()
	_ = s.cmd.Wait()
}

// change runs the variant's agent in the server, and no other.
func (s *server) change() error {
	resp, err := s.client.PostForm(s.url+"/agent", url.Values{"is": {s.variant}})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", s.variant, resp.Status, bytes.TrimSpace(text))
	}
	return err
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

// report prints the means of each variant and, round by round, the differences
// from none, with 95 % intervals.
func report(all []result) {
	rounds := 1 + all[len(all)-1].Round
	// Sums over a round, by variant.
	cpu, requests, seconds := make(map[string][]float64), make(map[string][]float64), make(map[string][]float64)
	for _, v := range variants {
		cpu[v], requests[v], seconds[v] = make([]float64, rounds), make([]float64, rounds), make([]float64, rounds)
	}
	for _, r := range all {
		cpu[r.Variant][r.Round] += r.CPU
		requests[r.Variant][r.Round] += float64(r.Requests)
		seconds[r.Variant][r.Round] += r.Seconds
	}
	share := func(v string, round int) float64 { return cpu[v][round] / seconds[v][round] * 100 }
	fmt.Printf("%-10s %8s %14s %32s\n", "agent", "rounds", "CPU µs/request", "more than none, % of one CPU")
	for _, v := range variants {
		var perRequest, more []float64
		for round := range rounds {
			perRequest = append(perRequest, cpu[v][round]/requests[v][round]*1e6)
			more = append(more, share(v, round)-share("none", round))
		}
		text := ""
		if v != "none" {
			text = interval(more)
		}
		fmt.Printf("%-10s %8d %14.1f %32s\n", v, rounds, mean(perRequest), text)
	}
	var less []float64
	for round := range rounds {
		less = append(less, share("pyroscope", round)-share("hone", round))
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
	return fmt.Sprintf("%+.3f [%+.3f, %+.3f]", mean(values), at(0.025), at(0.975))
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
