package cloudprofiler

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/freeport"
)

func untapped(h http.Handler) http.Handler { return h }

// through returns a client that goes through a proxy and trusts what it is given.
func through(t *testing.T, proxy string, roots *x509.CertPool) *http.Client {
	t.Helper()
	u, err := url.Parse(proxy)
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{Proxy: http.ProxyURL(u), TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: time.Minute}
}

func rootsOf(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, authorityFile))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		t.Fatalf("no certificate: %s", text)
	}
	return pool
}

// What is meant for the profiler arrives here, everything else where it is
// meant for, byte for byte.
func TestProxyForwards(t *testing.T) {
	elsewhere := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Fprintf(w, "%s %d %s", r.Host, n, r.Header.Get("Authorization"))
	}))
	t.Cleanup(elsewhere.Close)
	dir := t.TempDir()
	_, addr := proxied(t, newService(t, new(recorder), nil, Config{}), untapped, ProxyConfig{Dir: dir, Allow: []string{"127.0.0.0/8"}})
	roots := rootsOf(t, dir)
	roots.AddCert(elsewhere.Certificate())
	c := through(t, "http://"+addr, roots)

	req, err := http.NewRequestWithContext(t.Context(), "POST", elsewhere.URL, strings.NewReader(strings.Repeat("x", 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "theirs")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if want := fmt.Sprintf("%s %d theirs", elsewhere.Listener.Addr(), 1<<20); string(text) != want {
		t.Errorf("forwarded: %s, want %s", text, want)
	}
	if resp, err = c.Get("https://" + agentHost + "/v2/projects/acme/profiles"); err != nil {
		t.Fatal(err)
	}
	text, _ = io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusNotImplemented || !strings.Contains(string(text), "no store") || resp.ProtoMajor != 2 {
		t.Errorf("the profiler: %s %s %s", resp.Proto, resp.Status, text)
	}
}

func TestProxyRefuses(t *testing.T) {
	free, err := freeport.Addresses(1)
	if err != nil {
		t.Fatal(err)
	}
	nobody := free[0]
	_, addr := proxied(t, newService(t, new(recorder), nil, Config{}), untapped, ProxyConfig{Allow: []string{nobody, "Example.com", ".example.org", "a.test:8443"}})
	for target, want := range map[string]int{
		nobody:                http.StatusBadGateway,
		"127.0.0.1:1":         http.StatusForbidden,
		"sub.example.com:443": http.StatusForbidden,
		"badexample.org:443":  http.StatusForbidden,
		"a.test:443":          http.StatusForbidden,
		agentHost + ":80":     http.StatusForbidden,
		"no-port":             http.StatusBadRequest,
	} {
		if got := connectTo(t, addr, target); got.StatusCode != want {
			t.Errorf("CONNECT %s: %s, want %d", target, got.Status, want)
		}
	}
	to := newTargets([]string{"Example.com", ".example.org", "a.test:8443"})
	for _, target := range []string{"example.com:443", "EXAMPLE.com.:80", "a.b.example.org:443", "a.test:8443"} {
		host, port, _ := net.SplitHostPort(target)
		if !to.named(host, port) {
			t.Errorf("%s is not allowed", target)
		}
	}
	// HTTP_PROXY would bring plain requests, which are not for a proxy to see.
	c := through(t, "http://"+addr, nil)
	resp, err := c.Get("http://example.com/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNotImplemented {
		t.Errorf("plain HTTP: %s", resp.Status)
	}
}

// connectTo sends a CONNECT request and returns the answer.
func connectTo(t *testing.T, proxy, target string, header ...string) *http.Response {
	t.Helper()
	conn, err := net.Dial("tcp", proxy)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", target, target, strings.Join(header, ""))
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: http.MethodConnect})
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// A proxy that others reach needs a token, and hands it on to what checks tokens.
// TestProxyRefusesPrivate checks that connections are forwarded to no machine that
// only the server can reach, by whatever name, unless that is listed.
func TestProxyRefusesPrivate(t *testing.T) {
	target, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	_, port, _ := net.SplitHostPort(target.Addr().String())
	for _, test := range []struct {
		allow []string
		host  string
		want  int
	}{
		{nil, "127.0.0.1", 403},
		{nil, "localhost", 403}, // a name for it, which is checked after it was resolved
		{nil, "[::ffff:127.0.0.1]", 403},
		{nil, "0.0.0.0", 403},
		{[]string{"*"}, "127.0.0.1", 403},
		{[]string{"10.0.0.0/8"}, "127.0.0.1", 403},
		{[]string{"*", "127.0.0.0/8"}, "localhost", 200},
		{[]string{"127.0.0.0/8"}, "localhost", 200},
		{[]string{"127.0.0.0/8"}, "[::ffff:127.0.0.1]", 200},
		{[]string{"localhost"}, "localhost", 200},
		{[]string{"localhost"}, "127.0.0.1", 403},
	} {
		_, addr := proxied(t, newService(t, new(recorder), nil, Config{}), untapped, ProxyConfig{Allow: test.allow})
		if got := connectTo(t, addr, test.host+":"+port); got.StatusCode != test.want {
			t.Errorf("forward = %q: CONNECT %s: %s, want %d", test.allow, test.host, got.Status, test.want)
		}
	}
	public := newTargets(nil)
	for _, a := range []string{
		"10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "127.1.2.3", "100.64.0.1", "0.1.2.3", "224.0.0.1", "255.255.255.255", "::", "::1",
		"fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1", "::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::1", "2001:0:1::1",
	} {
		if err := public.check(netip.AddrPortFrom(netip.MustParseAddr(a), 443).String()); err == nil {
			t.Errorf("%s is taken for public", a)
		}
	}
	for _, a := range []string{"8.8.8.8", "172.15.0.1", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "100.128.0.1"} {
		if err := public.check(netip.AddrPortFrom(netip.MustParseAddr(a), 443).String()); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
	for _, bad := range []string{"", "10.0.0.0/99", "*.example.com", "a b"} {
		if err := (&ProxyConfig{Allow: []string{bad}}).Check(); err == nil {
			t.Errorf("%q is taken for a target", bad)
		}
	}
}

func TestProxyAuthentication(t *testing.T) {
	cfg := ProxyConfig{Addr: "192.0.2.1:4601", Dir: t.TempDir()}
	if _, err := NewProxy(http.NotFoundHandler(), cfg); err == nil {
		t.Error("a proxy for everybody is made")
	}
	recv := new(recorder)
	var seen upstream
	p, addr := proxied(t, newService(t, recv, nil, quick), seen.tap, ProxyConfig{Authenticate: func(_ context.Context, token string) error {
		if token != "secret-7" {
			return errors.New("nobody has this token")
		}
		return nil
	}})
	for _, header := range []string{"", "Proxy-Authorization: Basic !\r\n", "Proxy-Authorization: Bearer secret-8\r\n"} {
		if resp := connectTo(t, addr, agentHost+":443", header); resp.StatusCode != http.StatusProxyAuthRequired || resp.Header.Get("Proxy-Authenticate") == "" {
			t.Errorf("with %q: %s", header, resp.Status)
		}
	}
	env := p.Environment()
	if !strings.Contains(env[0], "hone:TOKEN@") {
		t.Errorf("the environment is %v", env)
	}
	env[0] = strings.Replace(env[0], "TOKEN", "secret-7", 1)
	startAgent(t, env, "-service", "shop", "-debug")
	eventually(t, "a profile", func() bool { return len(recv.received()) > 0 })
	seen.mu.Lock()
	defer seen.mu.Unlock()
	for _, h := range seen.seen {
		if h.Get("Authorization") != "Bearer secret-7" {
			t.Errorf("the agent's token is %q", h.Get("Authorization"))
		}
	}
}

// A token for Google that an agent brings along is not seen by anybody.
func TestProxyDropsCredentials(t *testing.T) {
	var seen upstream
	dir := t.TempDir()
	_, addr := proxied(t, newService(t, new(recorder), nil, Config{}), seen.tap, ProxyConfig{Dir: dir})
	req, err := http.NewRequestWithContext(t.Context(), "POST", "https://"+agentHost+"/google.devtools.cloudprofiler.v2.ProfilerService/CreateProfile", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer ya29.theirs")
	req.Header.Set("X-Goog-Api-Key", "theirs")
	req.Header.Set("Content-Type", "application/json")
	resp, err := through(t, "http://"+addr, rootsOf(t, dir)).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if len(seen.seen) != 1 || seen.seen[0].Get("Authorization") != "" || seen.seen[0].Get("X-Goog-Api-Key") != "" {
		t.Errorf("seen %v", seen.seen)
	}
}

// Whoever trusts the authority trusts it for one host.
func TestAuthorityIsForOneHost(t *testing.T) {
	dir := t.TempDir()
	a, err := openAuthority(dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := openAuthority(dir)
	if err != nil || !again.cert.Equal(a.cert) {
		t.Fatalf("a second start makes a new one: %v", err)
	}
	leaf, err := again.certificate(nil)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	if _, err := leaf.Leaf.Verify(x509.VerifyOptions{Roots: pool, DNSName: agentHost}); err != nil {
		t.Error(err)
	}
	other := *leaf.Leaf
	other.DNSNames = []string{"www.google.com"}
	der, err := x509.CreateCertificate(nil, &other, a.cert, leaf.Leaf.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	forged, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := forged.Verify(x509.VerifyOptions{Roots: pool, DNSName: "www.google.com"}); err == nil {
		t.Error("it vouches for www.google.com")
	}
	if info, err := os.Stat(filepath.Join(dir, authorityKeyFile)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the key is %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(filepath.Join(dir, authorityKeyFile), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY"}), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openAuthority(dir); err == nil || !strings.Contains(err.Error(), "remove") {
		t.Errorf("a broken key: %v", err)
	}
	fresh, err := loadAuthority(dir, slog.New(slog.DiscardHandler))
	if err != nil || fresh.cert.Equal(a.cert) {
		t.Errorf("a new one in place of a broken one: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, authorityKeyFile+".damaged")); err != nil {
		t.Errorf("the broken key is not kept: %v", err)
	}
}

func TestAccountIsKept(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, accountFile)
	read := func() (a account) {
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &a)
		}
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if err := writeAccount(file, ProxyConfig{Addr: "127.0.0.1:1", Project: "acme"}); err != nil {
		t.Fatal(err)
	}
	first := read()
	if err := writeAccount(file, ProxyConfig{Addr: "127.0.0.1:2", Project: "acme"}); err != nil {
		t.Fatal(err)
	}
	if second := read(); second.PrivateKey != first.PrivateKey || first.PrivateKey == "" || second.TokenURI != "http://127.0.0.1:2/token" {
		t.Errorf("then %+v", second)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeAccount(file, ProxyConfig{}); err == nil || !strings.Contains(err.Error(), accountFile) {
		t.Errorf("a broken file: %v", err)
	}
}

// Pages in a browser can ask for nothing: they can't set the header.
func TestMetadata(t *testing.T) {
	h := newMetadata(ProxyConfig{Addr: "127.0.0.1:1", Project: "acme", Zone: "eu-1", Instance: "node-7"})
	get := func(path, flavor string) *httptest.ResponseRecorder {
		req := httptest.NewRequest("GET", path, nil)
		req.Header.Set("Metadata-Flavor", flavor)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		return w
	}
	const v1 = "/computeMetadata/v1/"
	for path, want := range map[string]string{
		"project/project-id": "acme", "instance/zone": "projects/0/zones/eu-1", "instance/name": "node-7",
		"instance/service-accounts/default/email": "hone@acme.iam.gserviceaccount.com",
	} {
		if w := get(v1+path, "Google"); w.Code != 200 || w.Body.String() != want || w.Header().Get("Metadata-Flavor") != "Google" {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		if w := get(v1+path, ""); w.Code != http.StatusForbidden {
			t.Errorf("%s without the header: %d", path, w.Code)
		}
	}
	if w := get(v1+"instance/attributes/ssh-keys", "Google"); w.Code != http.StatusNotFound {
		t.Errorf("what isn't known: %d", w.Code)
	}
}

// Programs that are not told enough say so when they start; these are the
// combinations that doc/cloud-profiler.md warns of.
func TestEnvironmentsThatAreNotEnough(t *testing.T) {
	for name, c := range map[string]struct {
		env  func(p *Proxy) []string
		want string
	}{
		"no certificate": {func(p *Proxy) []string { return []string{p.Environment()[0], p.Environment()[2]} }, "certificate signed by unknown authority"},
		"no project":     {func(p *Proxy) []string { return p.Environment()[:2] }, "project ID must be specified"},
		"no credentials": {func(p *Proxy) []string { return append(p.Environment()[:2], "GOOGLE_CLOUD_PROJECT=acme") }, "could not find default credentials"},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "no certificate" && onGoogle() {
				t.Skip("this machine is one of Google's: the agent asks it")
			}
			t.Parallel()
			p, _ := proxied(t, newService(t, new(recorder), nil, quick), untapped, ProxyConfig{})
			agent := startAgent(t, c.env(p), "-service", "shop", "-debug")
			eventually(t, c.want, func() bool { return strings.Contains(agent.Output(), c.want) })
		})
	}
}

// onGoogle reports whether the agent would find a real metadata server.
func onGoogle() bool {
	name, _ := os.ReadFile("/sys/class/dmi/id/product_name")
	return strings.HasPrefix(string(name), "Google")
}

func TestProxyLimitsAndEnd(t *testing.T) {
	var conns []net.Conn
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	accepted := make(chan net.Conn, 10)
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	p, addr := proxied(t, newService(t, new(recorder), nil, Config{}), untapped, ProxyConfig{MaxTunnels: 2, Allow: []string{"127.0.0.0/8"}})
	for range 2 {
		if resp := connectTo(t, addr, ln.Addr().String()); resp.StatusCode != 200 {
			t.Fatal(resp.Status)
		}
		conns = append(conns, <-accepted)
	}
	if resp := connectTo(t, addr, agentHost+":443"); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a third connection: %s", resp.Status)
	}
	conns[0].Close() // its client's end is closed in turn, or stays half open until Close
	for range 2 {
		if err := p.Shutdown(t.Context()); err != nil {
			t.Errorf("ending: %v", err)
		}
	}
	_ = conns[1].SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := conns[1].Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection lives on: %v", err)
	}
	if resp := connectTo(t, addr, agentHost+":443"); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("after the end: %s", resp.Status)
	}
	eventually(t, "no connection is left", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.open) == 0
	})
}

func TestInstructions(t *testing.T) {
	p, addr := proxied(t, newService(t, new(recorder), nil, Config{}), untapped, ProxyConfig{})
	text := p.Instructions()
	for _, v := range p.Environment() {
		if !strings.Contains(text, v) {
			t.Errorf("%s is missing in %s", v, text)
		}
	}
	if !slices.Contains(p.Environment(), "HTTPS_PROXY=http://"+addr) {
		t.Errorf("the environment is %v", p.Environment())
	}
}
