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
	"cmp"
	"flag"
	"fmt"
	"log"
	"regexp"
	"strconv"
	"strings"
	"sync"
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
