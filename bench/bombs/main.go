//go:build linux

// Bombs measures how much memory hone serve takes when many large or hostile pushes
// come at the same time. It starts a server for each kind of push, sends -n of it at
// once, and prints the peak of the server's resident memory (VmHWM). It runs on Linux
// and needs hone's source tree for two recorded inputs.
//
//	go build -o bin/hone ./cmd/hone
//	go run ./bench/bombs -hone bin/hone                       # 16 and 64 of each kind
//	go run ./bench/bombs -hone bin/hone -n 16 -only 'otlp'    # some kinds
//	go run ./bench/bombs -hone bin/hone -most 600             # fail above 600 MB
//	go run ./bench/bombs -hone bin/hone -after 16             # packing, and the largest reports
//
// The columns of the answers count accepted pushes (ok), pushes that are too large
// (413), pushes that are told to come again (503), and other answers.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(0)
	hone := flag.String("hone", "bin/hone", "hone's binary")
	numbers := flag.String("n", "16,64", "pushes at once, one measurement for each number")
	only := flag.String("only", "", "regular expression of the kinds of pushes to measure")
	most := flag.Int64("most", 0, "fail if a server's peak is above so many MB; 0 never fails")
	config := flag.String("config", "", "configuration of the server")
	after := flag.Int("after", 0, "measure packing and reports after so many pushes of distinct stacks, and no pushes at once; -only selects reports")
	verbose := flag.Bool("v", false, "print the first answer of each kind of refusal")
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	if err != nil {
		log.Fatal(err)
	}
	if *after > 0 {
		if err := measureAfter(*hone, *config, *after, wanted); err != nil {
			log.Fatal(err)
		}
		return
	}
	fmt.Printf("%-36s %4s %8s %8s %6s %5s %5s %5s %6s\n", "push", "n", "MB sent", "peak MB", "s", "ok", "413", "503", "other")
	over := false
	for _, p := range pushes() {
		if !wanted.MatchString(p.name) {
			continue
		}
		for text := range strings.SplitSeq(*numbers, ",") {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				log.Fatalf("invalid -n %q: use numbers such as 16,64", *numbers)
			}
			r, err := measure(*hone, *config, p, n)
			if err != nil {
				log.Fatalf("%s: %v", p.name, err)
			}
			fmt.Printf("%-36s %4d %8.1f %8d %6.1f %5d %5d %5d %6d\n", p.name, n, float64(r.sent)/1e6, r.peak, r.took.Seconds(),
				r.answers["ok"], r.answers["413"], r.answers["503"], r.answers["other"])
			if *verbose {
				for _, kind := range []string{"413", "503", "other"} {
					if text := r.texts[kind]; text != "" {
						fmt.Printf("    %s: %.300s\n", kind, text)
					}
				}
			}
			over = over || *most > 0 && r.peak > *most
		}
	}
	if over {
		log.Fatalf("a peak is above %d MB", *most)
	}
}

// A result is what a server took and answered.
type result struct {
	sent    int // bytes of one push
	peak    int64
	took    time.Duration
	answers map[string]int
	texts   map[string]string // the first of each kind
}

var serving = regexp.MustCompile(`(http://[^/\s]+)/`)

// A server is hone serve with a folder of its own.
type server struct {
	url, dir string
	cmd      *exec.Cmd
}

func start(hone, config string) (s *server, err error) {
	dir, err := os.MkdirTemp("", "hone-bombs-")
	if err != nil {
		return nil, err
	}
	args := []string{"serve", "-data", dir, "-listen", "127.0.0.1:0"}
	if config != "" {
		args = append(args, "-config", config)
	}
	cmd := exec.Command(hone, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s = &server{dir: dir, cmd: cmd}
	line, err := bufio.NewReader(out).ReadString('\n')
	m := serving.FindStringSubmatch(line)
	if m == nil {
		s.stop()
		return nil, fmt.Errorf("hone serve says %q (%v): %.500s", line, err, stderr.Bytes())
	}
	s.url = m[1]
	return s, nil
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
	_ = os.RemoveAll(s.dir)
}

// measure sends n pushes at once to a server of their own.
func measure(hone, config string, p push, n int) (r result, err error) {
	s, err := start(hone, config)
	if err != nil {
		return r, err
	}
	defer s.stop()
	body := p.body()
	r = result{sent: len(body), answers: map[string]int{}, texts: map[string]string{}}
	began := time.Now()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			body := body
			if p.each != nil {
				body = p.each(i)
			}
			kind, text := p.send(s.url, body, i)
			mu.Lock()
			defer mu.Unlock()
			r.answers[kind]++
			r.texts[kind] = cmp.Or(r.texts[kind], text)
		})
	}
	wg.Wait()
	r.took = time.Since(began)
	r.peak, err = peak(s.cmd.Process.Pid)
	return r, err
}

// peak returns the most memory that a process has had resident, in MB.
func peak(pid int) (int64, error) {
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(state), "VmHWM:")
	var kb int64
	_, err = fmt.Sscan(rest, &kb)
	return kb >> 10, err
}

// send sends a push and returns what kind of answer came.
func (p push) send(url string, body []byte, i int) (kind, text string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var reader io.Reader = bytes.NewReader(body)
	if p.more != nil {
		reader = io.MultiReader(reader, bytes.NewReader(p.more()))
	}
	// Profiles of other times are other profiles.
	path := strings.ReplaceAll(p.path, "TIME", strconv.FormatInt(cmp.Or(p.at, time.Now().Unix()-int64(i)), 10))
	r, err := http.NewRequestWithContext(ctx, "POST", url+path, reader)
	if err != nil {
		return "other", err.Error()
	}
	r.Header.Set("Content-Type", p.kind)
	switch {
	case p.rpc:
		r.Header.Set("Grpc-Encoding", p.encoding)
		r.Header.Set("Te", "trailers")
	case p.encoding != "":
		r.Header.Set("Content-Encoding", p.encoding)
	}
	// A connection for each, as different senders have.
	transport := &http.Transport{Protocols: new(http.Protocols)}
	defer transport.CloseIdleConnections()
	transport.Protocols.SetUnencryptedHTTP2(p.rpc)
	transport.Protocols.SetHTTP1(!p.rpc)
	resp, err := transport.RoundTrip(r)
	if err != nil {
		if errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
			return "413", "closed while the body was being sent"
		}
		return "other", err.Error()
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	header := func(name string) string { return resp.Header.Get(name) + resp.Trailer.Get(name) }
	status := header("Grpc-Status")
	text = fmt.Sprintf("%s %s %s %.300s", resp.Status, status, header("Grpc-Message"), answer)
	switch {
	case resp.StatusCode < 300 && (status == "" || status == "0"):
		return "ok", ""
	case resp.StatusCode == 413, resp.StatusCode == 429, status == "8":
		return "413", text
	case resp.StatusCode == 503, status == "14":
		return "503", text
	}
	return "other", text
}
