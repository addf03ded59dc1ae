package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A service answers at once, but in the first part of every period at its end. It
// notes when requests arrived and when it had answered them: what a generator at a
// constant rate ought to tell follows from that.
type service struct {
	every, pause time.Duration
	start        time.Time

	mu       sync.Mutex
	asked    int             // how often it was asked for its truth
	arrived  []time.Duration // since then, in order
	answered []time.Duration // of the same requests; 0: not yet
}

// serve runs a service until its standard input ends.
func serve(every, pause time.Duration) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	s := &service{every: max(every, 1), pause: pause, start: time.Now()}
	http.HandleFunc("/", s.answer)
	http.HandleFunc("/truth", s.truth)
	return http.Serve(l, nil)
}

func (s *service) answer(w http.ResponseWriter, _ *http.Request) {
	now := time.Since(s.start)
	s.mu.Lock()
	n, asked := len(s.arrived), s.asked
	s.arrived, s.answered = append(s.arrived, now), append(s.answered, 0)
	s.mu.Unlock()
	if phase := now % s.every; phase < s.pause {
		time.Sleep(s.pause - phase)
	}
	_, _ = io.WriteString(w, "hello")
	now = time.Since(s.start)
	s.mu.Lock()
	if asked == s.asked {
		s.answered[n] = now
	}
	s.mu.Unlock()
}

// truth answers with quantiles of the time from when requests were due until they
// were answered, and forgets them. Request n was due n intervals after the first, and
// none arrives before it is due.
func (s *service) truth(w http.ResponseWriter, r *http.Request) {
	rate, err := strconv.ParseFloat(r.FormValue("rate"), 64)
	if err != nil || rate <= 0 {
		http.Error(w, "rate is missing", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	arrived, answered := s.arrived, s.answered
	s.asked++
	s.arrived, s.answered = nil, nil
	s.mu.Unlock()
	due := func(n int) time.Duration { return time.Duration(float64(n) / rate * float64(time.Second)) }
	first := time.Duration(1<<63 - 1)
	for n, at := range arrived {
		first = min(first, at-due(n))
	}
	var all []time.Duration
	for n, at := range answered {
		if at > 0 {
			all = append(all, at-first-due(n))
		}
	}
	_ = json.NewEncoder(w).Encode(exact(all))
}

// startService starts a service as a process and returns its address and what ends it.
func startService(every, pause time.Duration) (url string, stop func(), err error) {
	address, stop, err := start("serve", "-every", every.String(), "-pause", pause.String())
	return "http://" + address + "/", stop, err
}

// start starts this program as a server and returns its address and what ends it.
func start(args ...string) (address string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command(self, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = in.Close()
		return "", nil, errors.Join(err, cmd.Wait())
	}
	return strings.TrimSpace(line), func() { _ = in.Close(); _ = cmd.Wait() }, nil
}

// truthOf asks a service what it answered since it was asked before.
func truthOf(url string, rate int) (times []time.Duration, err error) {
	r, err := http.Get(url + "truth?rate=" + strconv.Itoa(rate))
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	return times, json.NewDecoder(r.Body).Decode(&times)
}
