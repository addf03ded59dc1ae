// Command godeltaprof is a program that takes differences of its heap, mutex and
// block profiles with godeltaprof and pushes them to hone, until its standard
// input ends.
package main

import (
	"bytes"
	"flag"
	"io"
	"log"
	"net/http"
	"net/url"
	"time"

	"github.com/grafana/pyroscope-go/godeltaprof"

	"github.com/hone-go/hone/test/agents/internal/work"
)

func main() {
	addr := flag.String("addr", "", "`URL` of the server")
	name := flag.String("name", "", "`name` of the service")
	sent := flag.String("sent", "", "note what has been sent in this `folder`")
	every := flag.Duration("every", time.Second, "send so often")
	flag.Parse()

	stop := work.Start()
	profilers := map[string]interface{ Profile(io.Writer) error }{
		"heap": godeltaprof.NewHeapProfiler(), "mutex": godeltaprof.NewMutexProfiler(), "block": godeltaprof.NewBlockProfiler(),
	}
	done := make(chan bool)
	go func() {
		work.UntilStdinEnds()
		close(done)
	}()
	start := time.Now()
	for tick := time.NewTicker(*every); ; {
		select {
		case <-done:
			stop()
			return
		case <-tick.C:
		}
		now := time.Now()
		for kind, p := range profilers {
			var b bytes.Buffer
			if err := p.Profile(&b); err != nil {
				log.Fatal(err)
			}
			query := url.Values{"service": {*name}, "kind": {kind}, "instance": {"host-1"}, "time": {start.Format(time.RFC3339Nano)}, "duration": {now.Sub(start).String()}}
			resp, err := http.Post(*addr+"/api/v1/profiles?"+query.Encode(), "application/octet-stream", bytes.NewReader(b.Bytes()))
			if err != nil {
				log.Fatal(err)
			}
			if text, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusNoContent {
				log.Fatalf("%s: %s %s", kind, resp.Status, text)
			}
			resp.Body.Close()
			if err := work.Sent(*sent, kind, b.Bytes()); err != nil {
				log.Fatal(err)
			}
		}
		start = now
	}
}
