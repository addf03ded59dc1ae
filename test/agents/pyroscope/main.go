// Command pyroscope is a program with Pyroscope's agent for Go, as its users
// write it. It works a little until its standard input ends.
package main

import (
	"bytes"
	"flag"
	"io"
	"log"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/grafana/pyroscope-go"

	"github.com/hone-go/hone/test/agents/internal/work"
)

func main() {
	addr := flag.String("addr", "", "`URL` of the server")
	name := flag.String("name", "", "`name` of the application")
	sent := flag.String("sent", "", "note what has been sent in this `folder`")
	every := flag.Duration("every", time.Second, "send so often")
	flag.Parse()

	stop := work.Start()
	profiler, err := pyroscope.Start(pyroscope.Config{
		ApplicationName: *name,
		ServerAddress:   *addr,
		UploadRate:      *every,
		Tags:            map[string]string{"hostname": "host-1", "region": "eu"},
		Logger:          pyroscope.StandardLogger,
		HTTPClient:      &http.Client{Transport: noting{*sent}, Timeout: time.Minute},
		ProfileTypes: []pyroscope.ProfileType{
			pyroscope.ProfileCPU, pyroscope.ProfileAllocObjects, pyroscope.ProfileAllocSpace, pyroscope.ProfileInuseObjects, pyroscope.ProfileInuseSpace,
			pyroscope.ProfileGoroutines, pyroscope.ProfileMutexCount, pyroscope.ProfileMutexDuration, pyroscope.ProfileBlockCount, pyroscope.ProfileBlockDuration,
			pyroscope.ProfileGoroutineLeak,
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	work.UntilStdinEnds()
	stop()
	if err := profiler.Stop(); err != nil {
		log.Fatal(err)
	}
}

// noting notes the profiles of requests that were answered with 200.
type noting struct{ dir string }

func (n noting) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		log.Fatal(err)
	}
	form, err := multipart.NewReader(bytes.NewReader(body), params["boundary"]).ReadForm(64 << 20)
	if err != nil {
		log.Fatal(err)
	}
	file := func(name string) []byte {
		if len(form.File[name]) == 0 {
			return nil
		}
		f, err := form.File[name][0].Open()
		if err != nil {
			log.Fatal(err)
		}
		defer f.Close()
		data, err := io.ReadAll(f)
		if err != nil {
			log.Fatal(err)
		}
		return data
	}
	kind, config := "cpu", string(file("sample_type_config"))
	for name, word := range map[string]string{"mutex": "mutex_", "block": "block_", "heap": "inuse_", "goroutine": `"goroutine"`, "goroutineleak": "goroutine_leak"} {
		if strings.Contains(config, word) {
			kind = name
		}
	}
	if err := work.Sent(n.dir, kind, file("profile")); err != nil {
		log.Fatal(err)
	}
	return resp, nil
}
