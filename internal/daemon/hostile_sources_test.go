package daemon

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hone-go/hone/internal/hostile"
	"github.com/hone-go/hone/internal/ingest/scrape"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/server/auth/oidctest"
	"github.com/hone-go/hone/internal/store"
)

// What doesn't come in requests may be hostile, too: whoever serves targets to scrape, an identity
// provider's users, the engine of a store, and bodies that are no text. These tests go with
// TestHostileRoutes.

// askSame asks both servers for GET routes, and fails where an answer about hostile texts has other
// parts than the one about plain texts.
func askSame(t *testing.T, bad string, plain, h *hostileServer, targets ...string) {
	t.Helper()
	for _, target := range targets {
		for _, accept := range []string{"*/*", "text/html"} {
			want, err := look(plain.do("GET", target, "", accept))
			if err != nil {
				t.Fatalf("%s: %v", target, err)
			}
			w := h.do("GET", target, "", accept)
			got, err := look(w)
			if err != nil {
				t.Errorf("%s: %.40q: %v", target, bad, err)
			}
			if target == "/metrics" {
				wantMetrics(t, bad, w.Body.String())
			} else if got.status != want.status || got.form != want.form || !slices.Equal(got.parts, want.parts) {
				t.Errorf("%s: %.40q: %d, %s with %d parts; want %d, %s with %d: %.300q", target, bad, got.status, got.form, len(got.parts), want.status, want.form, len(want.parts), w.Body)
			}
		}
	}
	h.wantLogs(t, bad)
}

// The targets of scrape jobs, their labels, and what they answer.
func TestHostileTargets(t *testing.T) {
	var plain *hostileServer
	for _, bad := range append([]string{hostile.Plain}, hostile.Joined()...) {
		target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			switch {
			case strings.HasSuffix(r.URL.Path, "heap"):
				w.WriteHeader(http.StatusTeapot)
			case strings.HasSuffix(r.URL.Path, "goroutineleak"):
				w.WriteHeader(http.StatusNotFound)
			case strings.HasSuffix(r.URL.Path, "mutex"):
				w.Header().Set("Location", "/"+url.PathEscape(bad))
				w.WriteHeader(http.StatusFound)
			}
			io.WriteString(w, bad+"\n"+bad)
		}))
		t.Cleanup(target.Close)
		h := newHostileServer(t, bad)
		shown := strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) {
				return -1
			}
			return r
		}, labelOf(bad))
		profiles := map[string]scrape.Profile{"kind" + shown: {Path: "/x", Kind: "kind" + labelOf(bad)}}
		for name := range scrape.DefaultProfiles() {
			enabled := name != "cpu"
			profiles[name] = scrape.Profile{Enabled: &enabled}
		}
		job := scrape.Job{Name: "job" + shown, Interval: scrape.Duration(time.Hour), Profiles: profiles,
			Static: []scrape.Group{{Targets: []string{target.URL + "/" + url.PathEscape(bad)}, Labels: map[string]string{"note": labelOf(bad)}}}}
		if err := scrape.Check([]scrape.Job{job}); err != nil {
			t.Fatalf("%.40q: %v", bad, err)
		}
		if other := (scrape.Job{Name: labelOf(bad), Profiles: map[string]scrape.Profile{labelOf(bad): {}}, Interval: job.Interval}); labelOf(bad) != shown {
			if err := scrape.Check([]scrape.Job{other}); err == nil || strings.Count(err.Error(), "must be printable") != 2 {
				t.Errorf("%.40q as the name of a job and of a profile: %v", bad, err)
			}
		}
		job.Interval = scrape.Duration(time.Second) // its first turn is within
		if err := h.scraper.Apply([]scrape.Job{job}); err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(auth.With(t.Context(), auth.Anyone))
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			h.scraper.Run(ctx)
		}()
		asked := func() bool {
			for _, job := range h.scraper.Status() {
				for _, target := range job.Targets {
					if !slices.ContainsFunc(target.Profiles, func(p scrape.ProfileStatus) bool { return p.Last.IsZero() }) {
						return true
					}
				}
			}
			return false
		}
		for start := time.Now(); !asked(); time.Sleep(10 * time.Millisecond) {
			if time.Since(start) > time.Minute {
				t.Fatalf("%.40q: the target is not asked: %+v", bad, h.scraper.Status())
			}
		}
		end()
		<-ended
		plain = cmp.Or(plain, h)
		askSame(t, bad, plain, h, "/api/v1/status", "/metrics", "/api/v1/services", "/readyz")
	}
}

// Users of an identity provider: their names, addresses and groups.
func TestHostileUsers(t *testing.T) {
	provider := oidctest.New(t)
	noFollow := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	var plain *hostileServer
	for _, bad := range append([]string{hostile.Plain}, hostile.Joined()...) {
		bad = strings.ToValidUTF8(bad, "?") // as JSON has it
		h := newHostileServer(t, bad)
		var err error
		h.auth.OIDC, err = auth.NewOIDC(auth.OIDCConfig{Name: "provider" + bad, Issuer: provider.URL, ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret,
			RedirectURL: "http://localhost:4600" + auth.CallbackPath, Rules: []auth.Rule{{Group: "group" + bad, Roles: auth.Read}}})
		if err != nil {
			t.Fatal(err)
		}
		for k, groups := range [][]string{{"group" + bad}, {"none" + bad}} {
			provider.User(map[string]any{"sub": "subject" + bad, "name": "user" + bad, "email": bad + "@example.com", "email_verified": true, "groups": groups})
			r := httptest.NewRequest("GET", "/login/provider?to=/", nil)
			r.Host = "localhost:4600"
			begun := httptest.NewRecorder()
			h.server.ServeHTTP(begun, r)
			asked, err := noFollow.Get(begun.Header().Get("Location"))
			if err != nil {
				t.Fatal(err)
			}
			asked.Body.Close()
			back, err := url.Parse(asked.Header.Get("Location"))
			if err != nil {
				t.Fatal(err)
			}
			r = httptest.NewRequest("GET", back.RequestURI(), nil)
			r.Host = "localhost:4600"
			for _, c := range begun.Result().Cookies() {
				r.AddCookie(c)
			}
			w := httptest.NewRecorder()
			h.server.ServeHTTP(w, r)
			if _, err := look(w); err != nil {
				t.Errorf("login %d: %.40q: %v", k, bad, err)
			}
			if want := []int{http.StatusSeeOther, http.StatusForbidden}[k]; w.Code != want {
				t.Errorf("login %d: %.40q: %d, want %d: %.300q", k, bad, w.Code, want, w.Body)
			}
			if k == 0 {
				h.cookies = w.Result().Cookies()
			}
		}
		plain = cmp.Or(plain, h)
		askSame(t, bad, plain, h, "/api/v1/sessions", "/login")
		secrets := []string{plain.secret, h.secret}
		plain.secret, h.secret = "", "" // as the user
		askSame(t, bad, plain, h, "/api/v1/user")
		plain.secret, h.secret = secrets[0], secrets[1]
	}
}

// A hostileKeeper is a store whose engine answers with a hostile text.
type hostileKeeper struct {
	keeper
	err error // nil until the server is up
}

func (k *hostileKeeper) ready() error { return cmp.Or(k.err, k.keeper.ready()) }

func (k *hostileKeeper) Put(ctx context.Context, records []store.Record) error {
	if k.err != nil {
		return k.err
	}
	return k.keeper.Put(ctx, records)
}

func (k *hostileKeeper) Merge(ctx context.Context, q store.Query) ([]store.Group, error) {
	if k.err != nil {
		return nil, k.err
	}
	return k.keeper.Merge(ctx, q)
}

func (k *hostileKeeper) Series(ctx context.Context, q store.Query) ([]store.Series, error) {
	if k.err != nil {
		return nil, k.err
	}
	return k.keeper.Series(ctx, q)
}

func (k *hostileKeeper) Labels(ctx context.Context, q store.Query) ([]store.LabelValues, error) {
	if k.err != nil {
		return nil, k.err
	}
	return k.keeper.Labels(ctx, q)
}

// What the engine of a store says is wrong.
func TestHostileStore(t *testing.T) {
	var plain *hostileServer
	for _, bad := range append([]string{hostile.Plain}, hostile.Joined()...) {
		h := newHostileServer(t, bad)
		h.metrics = prometheus.NewRegistry()
		engine := &hostileKeeper{keeper: h.store}
		h.store = engine
		if err := h.assemble(t.Context(), hostileReach); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.markers.Close)
		engine.err = fmt.Errorf("%w: Code: 60. DB::Exception: %s", store.ErrUnavailable, bad)
		plain = cmp.Or(plain, h)
		for _, ask := range [][3]string{{"POST", "/api/v1/profiles?service=x&kind=cpu", "main 1\n"}, {"GET", "/api/v1/pprof?q=cpu", ""}, {"GET", "/pyroscope/render?query=cpu", ""}} {
			want, err := look(plain.do(ask[0], ask[1], ask[2], "*/*"))
			if err != nil {
				t.Fatal(err)
			}
			w := h.do(ask[0], ask[1], ask[2], "*/*")
			if got, err := look(w); err != nil || got.status != want.status || got.form != want.form || !slices.Equal(got.parts, want.parts) {
				t.Errorf("%s: %.40q: %d, %v: %.300q", ask[1], bad, got.status, err, w.Body)
			}
		}
		askSame(t, bad, plain, h, "/readyz", "/api/v1/status", "/api/v1/series?q=cpu", "/api/v1/labels", "/metrics")
	}
}

var errNoTrailer = errors.New("the answer has no frame with its end")

// grpcWebEnd returns the lines of the frame that ends an answer of gRPC-Web.
func grpcWebEnd(body []byte) (string, error) {
	for len(body) >= 5 {
		n := binary.BigEndian.Uint32(body[1:])
		if int(n) > len(body)-5 {
			break
		}
		if body[0]&0x80 != 0 {
			return string(body[5 : 5+n]), nil
		}
		body = body[5+n:]
	}
	return "", errNoTrailer
}

// grpcHeader is a line of what ends an answer of gRPC: a message is percent-encoded, and details are in base64.
var grpcHeader = regexp.MustCompile(`(?i)^(?:grpc-status: \d+|grpc-message: [ -~]*|grpc-status-details-bin: [A-Za-z0-9+/]*)$`)

// Calls of gRPC and gRPC-Web, whose bodies are binary, and whose errors are in headers and trailers.
func TestHostileCalls(t *testing.T) {
	for _, bad := range append([]string{hostile.Plain}, hostile.Joined()...) {
		h := newHostileServer(t, bad)
		two := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), bad)
		two = protowire.AppendString(protowire.AppendTag(two, 2, protowire.BytesType), bad)
		for _, pattern := range slices.Sorted(maps.Keys(asks)) {
			if strings.Contains(pattern, " ") || !strings.Contains(pattern, ".") {
				continue
			}
			path := pattern
			if strings.HasSuffix(path, "/") {
				path += url.PathEscape(bad)
			}
			for _, message := range [][]byte{[]byte(bad), two} {
				frame := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
				for _, kind := range []string{"application/grpc", "application/grpc-web", "application/proto"} {
					r := httptest.NewRequest("POST", path, bytes.NewReader(frame))
					if kind == "application/proto" {
						r = httptest.NewRequest("POST", path, bytes.NewReader(message))
					}
					r.Host, r.ProtoMajor, r.ProtoMinor, r.Proto = "localhost:4600", 2, 0, "HTTP/2.0"
					r.Header.Set("Content-Type", kind)
					r.Header.Set("Te", "trailers")
					r.Header.Set("Authorization", "Bearer "+h.secret)
					w := httptest.NewRecorder()
					h.server.ServeHTTP(w, r)
					answer := w.Result()
					name := fmt.Sprintf("%s as %s: %.40q", pattern, kind, bad)
					for _, header := range []http.Header{answer.Header, answer.Trailer} {
						for key, values := range header {
							for _, v := range values {
								if i := strings.IndexFunc(v, unicode.IsControl); i >= 0 {
									t.Errorf("%s: header %s has a control character: %.100q", name, key, v)
								}
								if lower := strings.ToLower(key); strings.HasPrefix(lower, "grpc-status") || lower == "grpc-message" {
									wantGRPC(t, name, lower, v)
								}
							}
						}
					}
					if kind != "application/grpc-web" || w.Code != http.StatusOK {
						continue
					}
					if w.Body.Len() == 0 && answer.Header.Get("Grpc-Status") != "" {
						continue // all of it is in headers
					}
					end, err := grpcWebEnd(w.Body.Bytes())
					if err != nil {
						t.Errorf("%s: %v: %.200q", name, err, w.Body)
						continue
					}
					for line := range strings.SplitSeq(strings.TrimSuffix(end, "\r\n"), "\r\n") {
						key, value, ok := strings.Cut(line, ": ")
						if !ok || !strings.HasPrefix(strings.ToLower(key), "grpc-") {
							t.Errorf("%s: ends with %.200q", name, line)
							continue
						}
						wantGRPC(t, name, strings.ToLower(key), value)
					}
				}
			}
		}
		h.wantLogs(t, bad)
	}
}

// wantGRPC fails unless a header of gRPC has the form that it has to have.
func wantGRPC(t *testing.T, name, key, value string) {
	t.Helper()
	if !grpcHeader.MatchString(key + ": " + value) {
		t.Errorf("%s: %s is %.200q", name, key, value)
	}
	if key == "grpc-message" {
		if _, err := url.PathUnescape(value); err != nil {
			t.Errorf("%s: %s is %.200q: %v", name, key, value, err)
		}
	}
	if key == "grpc-status-details-bin" {
		if _, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "=")); err != nil {
			t.Errorf("%s: %s is %.200q: %v", name, key, value, err)
		}
	}
}

// The audit log has each event as a line of JSON, whatever is in it.
func TestHostileAudit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	audit, err := auth.OpenAudit(path, 0, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	h := &hostileServer{daemon: &daemon{cfg: &Config{Data: filepath.Dir(path)}}}
	for _, bad := range hostile.Texts {
		audit.Log(auth.Event{Action: "login" + bad, Result: auth.OK, Who: bad, By: auth.By(bad), Address: bad, Target: bad, Detail: bad})
		h.wantLogs(t, bad)
	}
	if err := audit.Close(); err != nil {
		t.Fatal(err)
	}
}
