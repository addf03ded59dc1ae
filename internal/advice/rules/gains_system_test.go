//go:build unix

//lint:file-ignore S1035 These are the forms that rules replace.

package rules

//lint:file-ignore SA1019 what is measured is what is better not used

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/template"
	"time"
)

//lint:file-ignore SA1019 what is measured is what is better not used

//lint:file-ignore SA1019 what is measured is what is better not used

func keptOnce(b *testing.B) map[string]versus {
	const pattern, page = `^[a-z]+-(\d+)$`, "Dear {{.Name}}, you have {{len .Messages}} messages."
	compiled := regexp.MustCompile(pattern)
	parsed := template.Must(template.New("page").Parse(page))
	data := struct {
		Name     string
		Messages []int
	}{"you", []int{1, 2}}
	replacer := strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;")
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		b.Skip(err)
	}
	header := http.Header{"X-Request-Id": {"7"}, "Content-Type": {"text/plain"}}
	quiet := slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelWarn}))
	short := log.New(droppedLog{}, "", log.Lshortfile)
	plain := log.New(droppedLog{}, "", 0)
	return map[string]versus{
		"regexp-per-call":   {func() { madeBool = regexp.MustCompile(pattern).MatchString("item-42") }, func() { madeBool = compiled.MatchString("item-42") }},
		"template-per-call": {func() { template.Must(template.New("page").Parse(page)).Execute(io.Discard, data) }, func() { parsed.Execute(io.Discard, data) }},
		"replacer-per-call": {
			func() { madeText = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;").Replace(sentence) },
			func() { madeText = replacer.Replace(sentence) },
		},
		"location-per-call":    {func() { at, _ := time.LoadLocation("Europe/Berlin"); madeAny = at }, func() { madeAny = zone }},
		"rand-source-per-call": {func() { madeInt = rand.New(rand.NewSource(int64(madeInt))).Intn(100) }, func() { madeInt = rand.Intn(100) }},
		"header-key":           {func() { madeText = header.Get("x-request-id") }, func() { madeText = header.Get("X-Request-Id") }},
		"header-twice":         {func() { madeText = header.Get(http.CanonicalHeaderKey("x-request-id")) }, func() { madeText = header.Get("x-request-id") }},
		"log-args": {
			func() { quiet.Debug("request", "headers", fmt.Sprint(header)) },
			func() {
				if quiet.Enabled(b.Context(), slog.LevelDebug) {
					quiet.Debug("request", "headers", fmt.Sprint(header))
				}
			},
		},
		"caller-lookup": {func() { short.Print("a record of some length") }, func() { plain.Print("a record of some length") }},
	}
}

// droppedLog drops what is written. Package log knows that io.Discard does.
type droppedLog struct{}

func (droppedLog) Write(p []byte) (int, error) { return len(p), nil }

func readAndWritten(b *testing.B) map[string]versus {
	name := filepath.Join(b.TempDir(), "file")
	if err := os.WriteFile(name, paragraphBytes, 0o666); err != nil {
		b.Fatal(err)
	}
	open := func(how int) *os.File {
		f, err := os.OpenFile(name, how, 0)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { f.Close() })
		return f
	}
	in := open(os.O_RDONLY)
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { null.Close() })
	numbers := filepath.Join(b.TempDir(), "numbers")
	if err := os.WriteFile(numbers, []byte(strings.Repeat("1234 ", 40)), 0o666); err != nil {
		b.Fatal(err)
	}
	digits, err := os.Open(numbers)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { digits.Close() })
	scan := func(r io.Reader) {
		n := 0
		for range 40 {
			fmt.Fscan(r, &n)
			madeInt += n
		}
	}
	var piece [64]byte
	pieces := func(r io.Reader) {
		for range 10 {
			io.ReadFull(r, piece[:])
		}
	}
	body := func() io.Reader { return struct{ io.Reader }{strings.NewReader(paragraph)} }
	var kept bytes.Buffer
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }))
	b.Cleanup(server.Close)
	get := func(c *http.Client) {
		answer, err := c.Get(server.URL)
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	shared := &http.Client{Transport: &http.Transport{}}
	return map[string]versus{
		"small-writes": {
			func() {
				for range 20 {
					null.WriteString(sentence)
				}
			},
			func() {
				w := bufio.NewWriter(null)
				for range 20 {
					w.WriteString(sentence)
				}
				w.Flush()
			},
		},
		"small-reads":        {func() { digits.Seek(0, io.SeekStart); scan(digits) }, func() { digits.Seek(0, io.SeekStart); scan(bufio.NewReader(digits)) }},
		"small-reads/pieces": {func() { in.Seek(0, io.SeekStart); pieces(in) }, func() { in.Seek(0, io.SeekStart); pieces(bufio.NewReader(in)) }},
		"read-all-decode":    {func() { madeBytes, _ = io.ReadAll(body()) }, func() { kept.Reset(); kept.ReadFrom(body()) }},
		"read-per-request":   {func() { madeBytes, _ = os.ReadFile(name) }, func() { madeBytes = paragraphBytes }},
		"client-per-request": {
			func() {
				c := &http.Client{Transport: &http.Transport{}}
				get(c)
				c.CloseIdleConnections()
			},
			func() { get(shared) },
		},
	}
}

func waited(b *testing.B) map[string]versus {
	timer := time.NewTimer(time.Hour)
	some := make(chan int, 1)
	var number atomic.Int64
	// soon is ready after a while: a loop that asks keeps a processor busy until then.
	soon := func() chan int {
		ready := make(chan int)
		time.AfterFunc(200*time.Microsecond, func() { ready <- 1 })
		return ready
	}
	return map[string]versus{
		"timer-in-loop": {
			func() {
				some <- 1
				select {
				case n := <-some:
					madeInt = n
				case <-time.After(time.Hour):
				}
			},
			func() {
				some <- 1
				timer.Reset(time.Hour)
				select {
				case n := <-some:
					madeInt = n
				case <-timer.C:
				}
			},
		},
		"goroutine-per-item": {
			func() {
				var all sync.WaitGroup
				for range 100 {
					all.Go(func() { number.Add(1) })
				}
				all.Wait()
			},
			func() {
				var all sync.WaitGroup
				for range 2 {
					all.Go(func() {
						for range 50 {
							number.Add(1)
						}
					})
				}
				all.Wait()
			},
		},
		"busy-select": {
			used: func() {
				ready := soon()
				for waiting := true; waiting; {
					select {
					case <-ready:
						waiting = false
					default:
					}
				}
			},
			better: func() { <-soon() },
		},
	}
}
