package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hone-go/hone/profile"
)

// load is a fleet that sends real profiles to servers. With 50 profiles per second, it is
// ten services with 60 instances, each of which sends five kinds once per minute.
type load struct {
	rate    float64       // profiles per second
	history time.Duration // sent before, as fast as servers take it
	live    time.Duration // sent in real time
	// instances that a service has
	instances int
}

// sources are the profiles of testdata that are sent, by kind. Each profile sent has other
// values.
func sources() map[string]string {
	return map[string]string{
		"cpu": "cpu.std-net-http.pb.gz", "heap": "heap.http-server.pb.gz", "goroutine": "goroutine.http-server.pb.gz",
		"mutex": "mutex.std-net-http.pb.gz", "block": "block.std-net-http.pb.gz",
	}
}

// measureServers sends the same profiles to two servers, one of which doesn't look for
// regressions, and prints what each took.
func (l load) measureServers(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "regress")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "hone")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/hone")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build hone: %w\n%s", err, out)
	}
	f, err := newFeed(l)
	if err != nil {
		return err
	}
	var servers []*server
	for _, share := range []string{"0.02", "0"} {
		s, err := startServer(ctx, binary, filepath.Join(dir, share), "[regressions]\nbudget = "+share+"\n")
		if err != nil {
			return err
		}
		defer s.stop()
		servers = append(servers, s)
	}
	began := time.Now()
	n, err := f.past(ctx, servers, began)
	if err != nil {
		return err
	}
	fmt.Printf("%d services, %d profiles of the past %s and of the same hours on 7 days sent in %s\n", f.services, n, l.history, time.Since(began).Round(time.Second))
	before, err := usages(servers)
	if err != nil {
		return err
	}
	if n, err = f.now(ctx, servers); err != nil {
		return err
	}
	after, err := usages(servers)
	if err != nil {
		return err
	}
	report(l, f, n, before, after)
	return nil
}

// report prints the figures of the time in which profiles came in real time.
func report(l load, f *feed, sent int, before, after []usage) {
	with, without := after[0].minus(before[0]), after[1].minus(before[1])
	fmt.Printf("%s in real time: %d profiles, a new version of every service after a minute\n", l.live, sent)
	fmt.Printf("server that looks for regressions: %.1f s of CPU, peak memory %.0f MiB, %.0f comparisons in %.1f s by the clock\n",
		with.cpu, after[0].peak/(1<<20), with.comparisons, with.seconds)
	fmt.Printf("server that doesn't: %.1f s of CPU, peak memory %.0f MiB\n", without.cpu, after[1].peak/(1<<20))
	extra := with.cpu - without.cpu
	fmt.Printf("looking took %.1f s of CPU: %.1f %% of the server's\n", extra, 100*extra/with.cpu)
	// A day has 1.2 deploys with seven looks each, and four comparisons for drifts.
	const perDay = 1.2*7 + 4
	comparisons := perDay * float64(f.services*len(f.kinds))
	each := extra / max(1, with.comparisons)
	server := without.cpu / l.live.Seconds() * 86400
	fmt.Printf("a day with 1.2 deploys: %.0f comparisons of %.2f s, %.0f s of CPU, beside %.0f s for profiles: %.1f %%\n",
		comparisons, each, comparisons*each, server, 100*comparisons*each/(comparisons*each+server))
}

// A feed makes the profiles of a fleet.
type feed struct {
	load
	services int
	kinds    []string
	pools    map[string][][]byte // bodies by kind
}

// newFeed reads the profiles to send, and varies them.
func newFeed(l load) (*feed, error) {
	f := &feed{load: l, pools: map[string][][]byte{}, kinds: []string{"cpu", "heap", "goroutine", "mutex", "block"}}
	f.services = max(1, int(l.rate*60/float64(l.instances*len(f.kinds))+0.5))
	rng := rand.New(rand.NewPCG(1, 1))
	for kind, file := range sources() {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			return nil, fmt.Errorf("run this in the root of the repository: %w", err)
		}
		for range 300 {
			p, err := profile.DecodeBytes(data, profile.DefaultLimits())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			for s := range p.Values[0] {
				times := rng.Int64N(4)
				for c := range p.Values {
					p.Values[c][s] *= times
				}
			}
			var body bytes.Buffer
			if err := p.EncodeUncompressed(&body); err != nil {
				return nil, err
			}
			f.pools[kind] = append(f.pools[kind], body.Bytes())
		}
	}
	return f, nil
}

// A message is a profile on its way.
type message struct {
	query string
	body  []byte
}

// message returns the profile of an instance.
func (f *feed) message(kind string, service, instance int, version string, at time.Time) message {
	pool := f.pools[kind]
	q := url.Values{
		"service": {fmt.Sprint("service", service)}, "kind": {kind}, "version": {version}, "instance": {fmt.Sprint("i", instance)},
		"time": {strconv.FormatInt(at.UnixNano(), 10)},
	}
	switch kind {
	case "cpu":
		q.Set("duration", "10s")
	case "mutex", "block":
		q.Set("duration", "1m")
	}
	query := q.Encode()
	h := fnv.New64a()
	h.Write([]byte(query))
	return message{query, pool[h.Sum64()%uint64(len(pool))]}
}

// round sends the profiles of a minute, from some instances of all services.
func (f *feed) round(of int, version string, at time.Time, send func(message)) {
	for i := range of {
		for service := range f.services {
			for k, kind := range f.kinds {
				// Instances send at different seconds.
				second := (i*len(f.kinds) + k) * 60 / (of * len(f.kinds))
				send(f.message(kind, service, i, version, at.Add(time.Duration(second)*time.Second)))
			}
		}
	}
}

// past sends the hours before now, and less of the same hours on the days before.
func (f *feed) past(ctx context.Context, to []*server, now time.Time) (n int, err error) {
	send, wait := senders(ctx, to)
	count := func(m message) { n++; send(m) }
	now = now.Truncate(time.Minute)
	for d := 7; d > 0; d-- {
		day := now.AddDate(0, 0, -d)
		for at := day.Add(-f.history); at.Before(day.Add(2 * time.Hour)); at = at.Add(10 * time.Minute) {
			f.round(4, "v1", at, count)
		}
	}
	for at := now.Add(-f.history); at.Before(now); at = at.Add(time.Minute) {
		f.round(f.instances, "v1", at, count)
	}
	return n, wait()
}

// now sends profiles in real time.
func (f *feed) now(ctx context.Context, to []*server) (n int, err error) {
	send, wait := senders(ctx, to)
	began := time.Now().Truncate(time.Minute).Add(time.Minute)
	for m := range int(f.live / time.Minute) {
		var due []message
		version := "v1"
		if m > 0 {
			version = "v2"
		}
		at := began.Add(time.Duration(m) * time.Minute)
		f.round(f.instances, version, at, func(m message) { due = append(due, m) })
		for i, one := range due {
			time.Sleep(time.Until(at.Add(time.Duration(i) * time.Minute / time.Duration(len(due)))))
			n++
			send(one)
		}
	}
	return n, wait()
}

// senders returns a function that sends a message to all servers, in parallel to others,
// and one that waits for all, and returns the first error.
func senders(ctx context.Context, to []*server) (send func(message), wait func() error) {
	const parallel = 128 // a server takes several profiles in one write
	var group sync.WaitGroup
	failed := make(chan error, 1)
	queue := make(chan message, parallel)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: parallel}}
	for range parallel {
		group.Go(func() {
			for m := range queue {
				for _, s := range to {
					if err := s.post(ctx, client, m); err != nil {
						select {
						case failed <- err:
						default:
						}
					}
				}
			}
		})
	}
	return func(m message) { queue <- m }, func() error {
		close(queue)
		group.Wait()
		select {
		case err := <-failed:
			return err
		default:
			return nil
		}
	}
}

// A server is a hone serve that was started.
type server struct {
	url     string
	process *exec.Cmd
}

func startServer(ctx context.Context, binary, data, config string) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	l.Close()
	file := data + ".toml"
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return nil, err
	}
	s := &server{"http://" + address, exec.CommandContext(ctx, binary, "serve", "-listen", address, "-data", data, "-config", file)}
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	for range 300 {
		if resp, err := http.Get(s.url + "/readyz"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return s, nil
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.stop()
	return nil, errors.New("hone serve didn't start")
}

func (s *server) stop() {
	s.process.Process.Signal(os.Interrupt)
	s.process.Wait()
}

func (s *server) post(ctx context.Context, client *http.Client, m message) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/v1/profiles?"+m.query, bytes.NewReader(m.body))
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000)); resp.StatusCode != http.StatusNoContent {
		return fmt.Errorf("%s: %s", resp.Status, text)
	}
	return nil
}

// usage is what a server took since it began.
type usage struct{ cpu, seconds, comparisons, peak float64 }

func (u usage) minus(o usage) usage {
	return usage{u.cpu - o.cpu, u.seconds - o.seconds, u.comparisons - o.comparisons, u.peak}
}

// usages reads the metrics of servers, and their peak memory.
func usages(servers []*server) (all []usage, err error) {
	for _, s := range servers {
		var u usage
		resp, err := http.Get(s.url + "/metrics")
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), " ")
			for metric, to := range map[string]*float64{
				"process_cpu_seconds_total": &u.cpu, "hone_regress_seconds_total": &u.seconds, "hone_regress_comparisons_total": &u.comparisons,
			} {
				if name == metric {
					*to, _ = strconv.ParseFloat(value, 64)
				}
			}
		}
		resp.Body.Close()
		u.peak = peakMemory(s.process.Process.Pid)
		all = append(all, u)
	}
	return all, nil
}

// peakMemory returns the peak memory of a process in bytes; 0 where /proc doesn't tell.
func peakMemory(pid int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kilobytes, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kilobytes * 1024
		}
	}
	return 0
}
