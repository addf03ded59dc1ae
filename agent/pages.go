package agent

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/agent/internal/encoded"
)

// Pages serves profiles over HTTP. The zero value is ready for use.
//
// The runtime records block and mutex events only if the program sets a rate with
// [runtime.SetBlockProfileRate] and [runtime.SetMutexProfileFraction]. With
// BlockRate and MutexFraction, Pages sets the rate instead, while it answers a
// request for that profile with ?seconds=N, so that recording costs nothing
// between requests. Waits that began before the request are not recorded.
type Pages struct {
	// Prefix is the path of the index; "/debug/pprof/" if empty. To resolve
	// addresses, go tool pprof needs the word pprof in it.
	Prefix string
	// BlockRate is the argument for runtime.SetBlockProfileRate during a request
	// for block with ?seconds=N: one blocking event is recorded per BlockRate
	// nanoseconds spent blocked, on average. 10000 is a good value. After the
	// request recording is off, so leave BlockRate 0 if the program sets the
	// rate itself.
	BlockRate int
	// MutexFraction is the argument for runtime.SetMutexProfileFraction during a
	// request for mutex with ?seconds=N: one contention in MutexFraction is
	// recorded. 10 is a good value. After the request the fraction is what it was
	// before. 0 leaves it alone.
	MutexFraction int
	// AllowRemote lets Listen use an address that other machines can reach. They
	// can then read the profiles, without a password and without encryption.
	AllowRemote bool
}

// Mount registers the pages at /debug/pprof/ of mux. Whoever can reach mux can
// read them. For other routers, use [Pages.Handler].
func Mount(mux *http.ServeMux) { Pages{}.Mount(mux) }

// Mount registers the pages at p.Prefix of mux, as [Mount] does.
func (p Pages) Mount(mux *http.ServeMux) {
	p = p.withDefaults()
	// Without the methods, the patterns would conflict with "GET /".
	mux.Handle("GET "+p.Prefix, pages{p})
	mux.Handle("POST "+p.Prefix+"symbol", pages{p})
}

// Handler returns a handler for requests whose path begins with p.Prefix, for
// routers other than [http.ServeMux].
func (p Pages) Handler() http.Handler { return pages{p.withDefaults()} }

func (p Pages) withDefaults() Pages {
	if p.Prefix == "" {
		p.Prefix = "/debug/pprof/"
	}
	p.Prefix = "/" + strings.Trim(p.Prefix, "/") + "/"
	if p.Prefix == "//" {
		p.Prefix = "/"
	}
	return p
}

// pages serves requests for Pages with the defaults filled in.
type pages struct{ Pages }

func (p pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	name, ok := strings.CutPrefix(r.URL.Path, p.Prefix)
	if !ok {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && !(r.Method == http.MethodPost && name == "symbol") {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	switch name {
	case "":
		p.serveIndex(w)
	case "cmdline":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprint(w, strings.Join(os.Args, "\x00"))
	case "profile":
		serveCPU(w, r)
	case "trace":
		serveTrace(w, r)
	case "symbol":
		serveSymbols(w, r)
	default:
		p.serveProfile(w, r, name)
	}
}

func (p pages) serveProfile(w http.ResponseWriter, r *http.Request, name string) {
	profile := pprof.Lookup(name)
	if profile == nil {
		serveError(w, http.StatusNotFound, "Unknown profile")
		return
	}
	if r.FormValue("seconds") != "" {
		p.serveDelta(w, r, profile)
		return
	}
	if gc, _ := strconv.Atoi(r.FormValue("gc")); name == "heap" && gc > 0 {
		runtime.GC()
	}
	debug, _ := strconv.Atoi(r.FormValue("debug"))
	if debug != 0 {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	} else {
		setAttachment(w, name)
	}
	_ = profile.WriteTo(w, debug) // fails if the client has gone
}

// hasDelta lists the profiles that can be subtracted from each other.
var hasDelta = []string{"allocs", "block", "goroutine", "goroutineleak", "heap", "mutex", "threadcreate"}

func (p pages) serveDelta(w http.ResponseWriter, r *http.Request, profile *pprof.Profile) {
	name := profile.Name()
	seconds, err := strconv.ParseInt(r.FormValue("seconds"), 10, 64)
	if err != nil || seconds <= 0 {
		serveError(w, http.StatusBadRequest, `invalid value for "seconds" - must be a positive integer`)
		return
	}
	if !slices.Contains(hasDelta, name) {
		serveError(w, http.StatusBadRequest, `"seconds" parameter is not supported for this profile type`)
		return
	}
	extendWriteDeadline(w, r, float64(seconds))
	if debug, _ := strconv.Atoi(r.FormValue("debug")); debug != 0 {
		serveError(w, http.StatusBadRequest, "seconds and debug params are incompatible")
		return
	}

	switch {
	case name == "block" && p.BlockRate > 0:
		blockRecorder.on(p.BlockRate)
		defer blockRecorder.off()
	case name == "mutex" && p.MutexFraction > 0:
		mutexRecorder.on(p.MutexFraction)
		defer mutexRecorder.off()
	}
	from, began, err := collect(profile)
	if err != nil {
		serveError(w, http.StatusInternalServerError, "failed to collect profile")
		return
	}
	if err := sleep(r.Context(), float64(seconds)); err != nil {
		status := http.StatusInternalServerError
		if errors.Is(err, context.DeadlineExceeded) {
			status = http.StatusRequestTimeout
		}
		serveError(w, status, err.Error())
		return
	}
	to, ended, err := collect(profile)
	if err != nil {
		serveError(w, http.StatusInternalServerError, "failed to collect profile")
		return
	}
	delta, err := encoded.Difference(from, to)
	if err != nil {
		serveError(w, http.StatusInternalServerError, "failed to collect profile")
		return
	}
	delta = encoded.AppendNumber(delta, encoded.FieldTime, uint64(ended.UnixNano()))
	delta = encoded.AppendNumber(delta, encoded.FieldDuration, uint64(ended.Sub(began)))
	setAttachment(w, name+"-delta")
	z := gzip.NewWriter(w)
	_, _ = z.Write(delta) // fails if the client has gone
	_ = z.Close()
}

// collect returns a profile as it is now, not compressed, and the time.
func collect(p *pprof.Profile) ([]byte, time.Time, error) {
	var b bytes.Buffer
	if err := p.WriteTo(&b, 0); err != nil {
		return nil, time.Time{}, err
	}
	now := time.Now()
	raw, err := gunzip(b.Bytes())
	return raw, now, err
}

func serveCPU(w http.ResponseWriter, r *http.Request) {
	seconds, err := strconv.ParseInt(r.FormValue("seconds"), 10, 64)
	if seconds <= 0 || err != nil {
		seconds = 30
	}
	extendWriteDeadline(w, r, float64(seconds))
	setAttachment(w, "profile") // the profiler writes as soon as it starts
	if err := pprof.StartCPUProfile(w); err != nil {
		serveError(w, http.StatusConflict, fmt.Sprintf("Could not enable CPU profiling: %s", err))
		return
	}
	_ = sleep(r.Context(), float64(seconds))
	pprof.StopCPUProfile()
}

func serveTrace(w http.ResponseWriter, r *http.Request) {
	seconds, err := strconv.ParseFloat(r.FormValue("seconds"), 64)
	if !(seconds > 0) || err != nil { // not a number is not positive either
		seconds = 1
	}
	extendWriteDeadline(w, r, seconds)
	setAttachment(w, "trace") // the tracer writes as soon as it starts
	if err := trace.Start(w); err != nil {
		serveError(w, http.StatusConflict, fmt.Sprintf("Could not enable tracing: %s", err))
		return
	}
	_ = sleep(r.Context(), seconds)
	trace.Stop()
}

// serveSymbols answers addresses, separated by +, with the functions there.
func serveSymbols(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	var b *bufio.Reader
	if r.Method == http.MethodPost {
		b = bufio.NewReader(r.Body)
	} else {
		b = bufio.NewReader(strings.NewReader(r.URL.RawQuery))
	}
	// All of a request's body has to be read before the answer.
	var out bytes.Buffer
	// go tool pprof asks only whether this is 0.
	fmt.Fprintf(&out, "num_symbols: 1\n")
	for {
		word, err := b.ReadSlice('+')
		if err == nil {
			word = word[:len(word)-1]
		}
		if pc, _ := strconv.ParseUint(string(word), 0, 64); pc != 0 {
			if f := runtime.FuncForPC(uintptr(pc)); f != nil {
				fmt.Fprintf(&out, "%#x %s\n", pc, f.Name())
			}
		}
		if err != nil { // after the last word too
			if err != io.EOF {
				fmt.Fprintf(&out, "reading request: %v\n", err)
			}
			break
		}
	}
	_, _ = w.Write(out.Bytes())
}

var descriptions = map[string]string{
	"allocs":        "All past allocations, sampled",
	"block":         "Waits for channels, locks and the like. Empty unless a rate is set",
	"cmdline":       "The command line of the program",
	"goroutine":     "Stacks of all goroutines. debug=2 gives them as an unrecovered panic prints them",
	"goroutineleak": "Stacks of leaked goroutines. debug=2 gives them as an unrecovered panic prints them",
	"heap":          "Allocations of live objects, sampled. gc=1 collects garbage first",
	"mutex":         "Holders of contended locks. Empty unless a rate is set",
	"profile":       "CPU profile of the next 30 seconds, or of as many as seconds says",
	"symbol":        "Functions at addresses, which the query or a POST body lists separated by '+'",
	"threadcreate":  "Stacks that led to new threads of the operating system",
	"trace":         "Execution trace of the next second, or of as many as seconds says, for go tool trace",
}

func (p pages) serveIndex(w http.ResponseWriter) {
	counts := map[string]int{"cmdline": 0, "profile": 0, "symbol": 0, "trace": 0}
	names := []string{"cmdline", "profile", "symbol", "trace"}
	for _, profile := range pprof.Profiles() {
		names = append(names, profile.Name())
		counts[profile.Name()] = profile.Count()
	}
	slices.Sort(names)
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html>\n<head>\n<title>%s</title>\n</head>\n<body>\n<h1>Profiles</h1>\n"+
		"<p>Links show text (debug=1). Without debug a page is a file for <code>hone</code> and <code>go tool pprof</code>; "+
		"with seconds=N it is what happens in that time.</p>\n<table>\n<tr><th>Count</th><th>Profile</th><th></th></tr>\n", html.EscapeString(p.Prefix))
	for _, name := range names {
		link := &url.URL{Path: name, RawQuery: "debug=1"}
		fmt.Fprintf(&b, "<tr><td>%d</td><td><a href='%s'>%s</a></td><td>%s</td></tr>\n",
			counts[name], html.EscapeString(link.String()), html.EscapeString(name), html.EscapeString(descriptions[name]))
	}
	b.WriteString("</table>\n<p><a href=\"goroutine?debug=2\">full goroutine stack dump</a></p>\n</body>\n</html>\n")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(b.Bytes())
}

func setAttachment(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s"`, name))
}

// serveError marks the answer so that go tool pprof and hone show its text.
func serveError(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Go-Pprof", "1")
	w.Header().Del("Content-Disposition")
	w.WriteHeader(status)
	fmt.Fprintln(w, text)
}

// extendWriteDeadline allows the server's WriteTimeout on top of the time that
// is recorded.
func extendWriteDeadline(w http.ResponseWriter, r *http.Request, seconds float64) {
	srv, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if ok && srv.WriteTimeout > 0 {
		rc := http.NewResponseController(w)
		_ = rc.SetWriteDeadline(time.Now().Add(srv.WriteTimeout + duration(seconds))) // not every ResponseWriter can
	}
}

// sleep returns early, with the context's error, when the client has gone or
// the server shuts down.
func sleep(ctx context.Context, seconds float64) error {
	t := time.NewTimer(duration(seconds))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// duration is at most a century, so that adding to it does not overflow.
func duration(seconds float64) time.Duration {
	const century = 100 * 365 * 24 * 3600
	return time.Duration(math.Min(seconds, century) * float64(time.Second))
}
