package auth

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/storetest"
)

func TestRoles(t *testing.T) {
	for _, test := range []struct {
		roles, needed Roles
		has           bool
	}{
		{Read, Read, true}, {Read, Write, false}, {Read, Admin, false},
		{Write, Read, false}, {Write, Write, true},
		{Read | Write, Read | Write, true},
		{Admin, Read, true}, {Admin, Write, true}, {Admin, Admin, true},
		{0, Read, false}, {0, 0, true},
	} {
		if got := test.roles.Has(test.needed); got != test.has {
			t.Errorf("%s has %s: %t", test.roles, test.needed, got)
		}
	}
	if _, err := ParseRoles([]string{"read", "root"}); err == nil || !strings.Contains(err.Error(), "root") {
		t.Errorf("a role that is none: %v", err)
	}
	if _, err := ParseRoles(nil); err == nil {
		t.Error("no role at all is one")
	}
}

func TestServicePatterns(t *testing.T) {
	for _, test := range []struct {
		pattern, service string
		matches          bool
	}{
		{"api", "api", true}, {"api", "api2", false}, {"api", "", false},
		{"*", "", true}, {"*", "anything", true},
		{"shop-*", "shop-cart", true}, {"shop-*", "shop-", true}, {"shop-*", "shop", false}, {"shop-*", "my-shop-cart", false},
		{"*-db", "x-db", true}, {"*-db", "x-db-y", false},
		{"a*a", "a", false}, {"a*a", "aa", true}, {"a*b*c", "a-b-c", true}, {"a*b*c", "acb", false},
		{"a.c", "abc", false}, {"a.*", "abc", false}, {"a|b", "a", false},
	} {
		p := &Principal{Services: []string{test.pattern}}
		if got := p.Allows(test.service); got != test.matches {
			t.Errorf("%s allows %q: %t", test.pattern, test.service, got)
		}
		m, err := p.matcher()
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Matches(test.service); got != test.matches {
			t.Errorf("the condition of %s, %s, matches %q: %t", test.pattern, &m, test.service, got)
		}
	}
	if (&Principal{Services: []string{}}).Allows("api") {
		t.Error("someone of no services may see one")
	}
	for _, bad := range []string{"", " api", "a b", "a,b"} {
		if CheckServices([]string{bad}) == nil {
			t.Errorf("%q is taken for a service", bad)
		}
	}
}

// TestScopedStore checks that a store gives nothing to those it doesn't know,
// and to others only what is theirs.
func TestScopedStore(t *testing.T) {
	inner := storetest.NewModel()
	s := Scoped(inner)
	record := func(id byte, service string) store.Record {
		ls, err := store.NewLabels(store.Label{Name: "service", Value: service}, store.Label{Name: "kind", Value: "cpu"})
		if err != nil {
			t.Fatal(err)
		}
		return store.Record{ID: store.ID{id}, Labels: ls, Time: 1e18, Profile: storetest.Generate(rand.New(rand.NewPCG(1, 2)), "cpu", 3)}
	}
	if err := inner.Put(t.Context(), []store.Record{record(1, "api"), record(2, "web")}); err != nil {
		t.Fatal(err)
	}
	nobody := t.Context()
	calls := map[string]func(ctx context.Context) error{
		"Put":    func(ctx context.Context) error { return s.Put(ctx, nil) },
		"Merge":  func(ctx context.Context) error { _, err := s.Merge(ctx, store.Query{}); return err },
		"Series": func(ctx context.Context) error { _, err := s.Series(ctx, store.Query{}); return err },
		"Labels": func(ctx context.Context) error { _, err := s.Labels(ctx, store.Query{}); return err },
	}
	for name, call := range calls {
		if err := call(nobody); !errors.Is(err, errUnasked) {
			t.Errorf("%s for nobody: %v", name, err)
		}
		if err := call(With(nobody, Anyone)); err != nil {
			t.Errorf("%s for anyone: %v", name, err)
		}
	}
	web := With(nobody, &Principal{Roles: Admin, Services: []string{"w*"}})
	q := store.Query{By: []string{"service"}}
	for range 2 { // the query of the caller stays as it is
		series, err := s.Series(web, q)
		if err != nil || len(series) != 1 || series[0].Labels.Get("service") != "web" {
			t.Errorf("series of web: %v, %v", series, err)
		}
	}
	groups, err := s.Merge(web, q)
	if err != nil || len(groups) != 1 {
		t.Errorf("groups of web: %v, %v", groups, err)
	}
	labels, err := s.Labels(web, store.Query{})
	if err != nil || !slices.ContainsFunc(labels, func(l store.LabelValues) bool { return l.Name == "service" && slices.Equal(l.Values, []string{"web"}) }) {
		t.Errorf("labels of web: %v, %v", labels, err)
	}
	if err := s.Put(web, []store.Record{record(3, "web"), record(4, "api")}); !errors.Is(err, ErrService) {
		t.Errorf("writing another service: %v", err)
	}
	if err := s.Put(web, []store.Record{record(3, "web")}); err != nil {
		t.Errorf("writing the own service: %v", err)
	}
}

func openTokens(t *testing.T) (*Tokens, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data", "tokens.json")
	tokens, err := OpenTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	return tokens, path
}

// TestTokensAtRest checks that the file doesn't have what it takes to get in, and
// is the user's alone.
func TestTokensAtRest(t *testing.T) {
	tokens, path := openTokens(t)
	secret, token, err := tokens.Add("ci", Write, []string{"api"}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), secret) || strings.Contains(string(data), strings.TrimPrefix(secret, secretPrefix)) {
		t.Error("the secret is in the file")
	}
	if info, _ := os.Stat(path); info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the file has mode %s", info.Mode())
	}
	if len(secret) != len(secretPrefix)+43 {
		t.Errorf("the secret has %d characters, want 256 bits", len(secret))
	}
	found, err := tokens.Find(secret)
	if err != nil || found.ID != token.ID || found.roles != Write || !slices.Equal(found.Services, []string{"api"}) {
		t.Errorf("found %+v, %v", found, err)
	}
	other, _, err := tokens.Add("other", Read, nil, time.Time{})
	if err != nil || other == secret {
		t.Errorf("two tokens have one secret, or %v", err)
	}
	for _, wrong := range []string{"", secretPrefix, secret + "=", strings.ToUpper(secret), token.Hash, string(token.hash[:])} {
		if _, err := tokens.Find(wrong); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// TestTokensReload checks that changes of the file hold at once, and that a file
// that can't be read changes nothing.
func TestTokensReload(t *testing.T) {
	tokens, path := openTokens(t)
	editor, err := OpenTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	secret, _, err := editor.Add("a", Read, nil, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Find(secret); err != nil {
		t.Errorf("a token of another process: %v", err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"{", `{"version":9}`, `{"version":1,"tokens":[null]}`,
		`{"version":1,"tokens":[{"id":"1","name":"x","sha256":"00","roles":["read"]}]}`,
		strings.Replace(string(good), `"read"`, `"root"`, 1),
		strings.Replace(string(good), `"id": "`, `"id": "", "x": "`, 1),
	} {
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := tokens.Find(secret); err != nil {
			t.Errorf("with the file %q the token is gone: %v", bad, err)
		}
		if tokens.Err() == nil {
			t.Errorf("nobody is told of the file %q", bad)
		}
		if fresh, err := OpenTokens(path); err == nil {
			t.Errorf("nobody is told of the file %q", bad)
		} else if _, err := fresh.Find(secret); err == nil {
			t.Errorf("a server that starts with the file %q lets somebody in", bad)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Find(secret); !errors.Is(err, ErrUnknown) {
		t.Errorf("without the file: %v", err)
	}
}

// TestTokensGone: while the directory is missing, an error says so, without its name.
func TestTokensGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	tokens, err := OpenTokens(filepath.Join(dir, "tokens.json"))
	if err != nil {
		t.Errorf("before the first token: %v", err)
	}
	secret, _, err := tokens.Add("agents", Write, nil, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, dir+".lost"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := tokens.Find(secret); !errors.Is(err, ErrGone) || strings.Contains(err.Error(), dir) {
			t.Errorf("without the directory: %v", err)
		}
	}
	if err := tokens.Err(); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("the operator is told %v", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Find(secret); !errors.Is(err, ErrUnknown) {
		t.Errorf("in an empty directory: %v", err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir+".lost", dir); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Find(secret); err != nil || tokens.Err() != nil {
		t.Errorf("with the directory back: %v, %v", err, tokens.Err())
	}
}

func TestTokensExpire(t *testing.T) {
	tokens, _ := openTokens(t)
	secret, _, err := tokens.Add("old", Read, nil, time.Now().Add(-time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Find(secret); !errors.Is(err, ErrUnknown) {
		t.Errorf("an expired token: %v", err)
	}
	secret, token, err := tokens.Add("new", Read, nil, time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Find(secret); err != nil || tokens.byID(token.ID) == nil {
		t.Errorf("a token that holds: %v", err)
	}
}

// TestTokensTogether checks that several who change the file lose nothing.
func TestTokensTogether(t *testing.T) {
	tokens, path := openTokens(t)
	const n = 8
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			own, err := OpenTokens(path)
			if err == nil {
				_, _, err = own.Add(string(rune('a'+i)), Read, nil, time.Time{})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := len(tokens.List()); got != n {
		t.Errorf("%d tokens of %d", got, n)
	}
	if _, _, err := tokens.Add("a", Read, nil, time.Time{}); err == nil {
		t.Error("two tokens have one name")
	}
	for _, bad := range []string{"", " a", "a\nb", strings.Repeat("x", 101)} {
		if _, _, err := tokens.Add(bad, Read, nil, time.Time{}); err == nil {
			t.Errorf("%q is taken for a name", bad)
		}
	}
	if _, err := tokens.Remove("nosuch"); err == nil {
		t.Error("a token that isn't there was removed")
	}
}

func newSessions(t *testing.T) *Sessions {
	t.Helper()
	dir := t.TempDir()
	s, err := NewSessions(filepath.Join(dir, "sessions.json"), filepath.Join(dir, "key"), true, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// begun returns a request with the cookie of a session that begins.
func begun(t *testing.T, s *Sessions, of session) (value string) {
	t.Helper()
	w := httptest.NewRecorder()
	if err := s.start(w, of, "192.0.2.1"); err != nil {
		t.Fatal(err)
	}
	c := w.Result().Cookies()[0]
	if !c.Secure || !c.HttpOnly || c.Name != "__Host-hone" || c.Path != "/" || c.Domain != "" {
		t.Errorf("the cookie is %+v", c)
	}
	return c.Value
}

func readSession(s *Sessions, value string) (*session, error) {
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Cookie", s.cookieName()+"="+value)
	return s.read(r)
}

// TestSessionsAreSigned checks that a cookie is one that this server made, for
// this purpose, unchanged and not too old.
func TestSessionsAreSigned(t *testing.T) {
	s := newSessions(t)
	value := begun(t, s, session{Name: "alice", Token: "1"})
	if got, err := readSession(s, value); err != nil || got.Name != "alice" {
		t.Fatalf("%+v, %v", got, err)
	}
	text, signature, _ := strings.Cut(value, ".")
	otherServer := begun(t, newSessions(t), session{Name: "mallory", Token: "1"})
	attempt, err := s.seal("login", session{Name: "mallory", Expires: time.Now().Unix() + 100})
	if err != nil {
		t.Fatal(err)
	}
	for name, forged := range map[string]string{
		"no signature":        text,
		"empty signature":     text + ".",
		"changed":             "A" + text[1:] + "." + signature,
		"another's signature": strings.Split(otherServer, ".")[0] + "." + signature,
		"another server's":    otherServer,
		"another purpose's":   attempt,
		"nothing":             "",
	} {
		if _, err := readSession(s, forged); !errors.Is(err, ErrSession) {
			t.Errorf("%s: %v", name, err)
		}
	}
	old, err := s.seal("session", session{ID: "x", Name: "a", Expires: time.Now().Unix() - 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readSession(s, old); !errors.Is(err, ErrSession) {
		t.Errorf("an old one: %v", err)
	}
}

// TestSessionsOutlastTheServer checks that sessions and their ends outlast a server,
// also one that ended without a word.
func TestSessionsOutlastTheServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	list, key := filepath.Join(dir, "sessions.json"), filepath.Join(dir, "key")
	open := func() *Sessions {
		s, err := NewSessions(list, key, true, func(text string) { t.Error(text) })
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := open()
	stays, ends := begun(t, first, session{Name: "alice", Token: "1"}), begun(t, first, session{Name: "bob", Token: "2"})
	of, err := readSession(first, ends)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.end(httptest.NewRecorder(), of); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*Sessions{"the same": first, "after a restart": open()} {
		if _, err := readSession(s, stays); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := readSession(s, ends); !errors.Is(err, ErrSession) {
			t.Errorf("%s: a session that was ended: %v", name, err)
		}
	}
	// Someone else ends one, as hone session does.
	if ended, err := OpenSessions(list).End(func(s *Session) bool { return s.Name == "alice" }); err != nil || len(ended) != 1 {
		t.Errorf("ended %v, %v", ended, err)
	}
	if _, err := readSession(first, stays); !errors.Is(err, ErrSession) {
		t.Errorf("a session that another process ended: %v", err)
	}
	for _, file := range []string{list, key} {
		if info, _ := os.Stat(file); info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", file, info.Mode())
		}
		if err := os.WriteFile(file, []byte("short"), 0o600); err != nil {
			t.Fatal(err)
		}
		// A damaged one is set aside, and lets nobody in.
		said := ""
		s, err := NewSessions(list, key, true, func(text string) { said = text })
		if err != nil || !strings.Contains(said, file+".damaged") || !strings.Contains(said, "sign in again") {
			t.Fatalf("with a damaged %s: %v, and it is said %q", file, err, said)
		}
		if _, err := readSession(s, stays); err == nil {
			t.Errorf("with a damaged %s a session of before lets in", file)
		}
		if got, err := os.ReadFile(file + ".damaged"); err != nil || string(got) != "short" {
			t.Errorf("aside is %q, %v", got, err)
		}
	}
}

// TestSessionsAreBounded checks that one account has no more sessions than it may:
// its first ones end, and nobody else's.
func TestSessionsAreBounded(t *testing.T) {
	s := newSessions(t)
	other := begun(t, s, session{Name: "bob", Issuer: "i", Subject: "b"})
	first := begun(t, s, session{Name: "alice", Issuer: "i", Subject: "a"})
	for range maxOwnSessions {
		begun(t, s, session{Name: "alice", Issuer: "i", Subject: "a"})
	}
	if all, err := s.List(); err != nil || len(all) != maxOwnSessions+1 {
		t.Errorf("%d sessions, %v", len(all), err)
	}
	if _, err := readSession(s, first); !errors.Is(err, ErrSession) {
		t.Errorf("the first of too many: %v", err)
	}
	if _, err := readSession(s, other); err != nil {
		t.Errorf("another's: %v", err)
	}
}

func TestSessionGroupsFit(t *testing.T) {
	s := newSessions(t)
	if err := s.start(httptest.NewRecorder(), session{Groups: []string{strings.Repeat("x", 4000)}}, ""); err == nil {
		t.Error("a cookie that browsers drop is set")
	}
}

func TestAuditFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	a, err := OpenAudit(path, 1000, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1790000000, 0)
	for range 100 {
		a.Log(Event{Time: at, Action: "marker.add", Result: OK, Who: "a\nb", Detail: `"`})
	}
	// A flood of requests that are denied is told in a few lines.
	for range 1000 {
		a.Log(Event{Time: at, Action: Denied, Result: Denied})
	}
	a.Log(Event{Time: at.Add(time.Second), Action: Denied, Result: Denied, Target: "last"})
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) != 1+auditFiles {
		t.Errorf("files %v, %v", files, err)
	}
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > 1000 || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has %d bytes, mode %s", name, info.Size(), info.Mode())
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) < 2 || !strings.Contains(lines[len(lines)-2], "and 980 more events") || !strings.Contains(lines[len(lines)-1], "last") {
		t.Errorf("the log ends with\n%s", data)
	}
	var none *Audit
	none.Log(Event{})
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}

// TestAuditIsBounded checks that nobody fills the log, whatever they fail at and
// however long what they send is, and that what was left out is told without a
// further event.
func TestAuditIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	a, err := OpenAudit(path, 0, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	long := strings.Repeat("ä", 50_000)
	at := time.Unix(1790000000, 0)
	for range 200 {
		a.Log(Event{Time: at, Action: "login", Result: Denied, Who: long, Address: long, Target: long, Detail: long})
		a.Log(Event{Time: at, Action: "backup", Result: Failed, Detail: long})
		a.Log(Event{Time: at, Action: ProxyConnect, Result: OK, Target: long})
	}
	a.Log(Event{Time: at, Action: "marker.add", Result: OK, Target: "kept"}) // which needs a role
	text := ""
	for start := time.Now(); !strings.Contains(text, "and 580 more events"); time.Sleep(10 * time.Millisecond) {
		data, err := os.ReadFile(path)
		if err != nil || time.Since(start) > time.Minute {
			t.Fatalf("what was left out is not told: %v", err)
		}
		text = string(data)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != limitedPerSecond+2 || !strings.Contains(text, "kept") {
		t.Errorf("%d lines, want %d and one of an event that needs a role", len(lines), limitedPerSecond+1)
	}
	for _, line := range lines {
		if len(line) > 6*maxField || !utf8.ValidString(line) || !json.Valid([]byte(line)) {
			t.Errorf("a line of %d bytes: %.100s", len(line), line)
		}
	}
}

// TestFailures checks that an address, or an account, that failed too often waits,
// and that others don't.
func TestFailures(t *testing.T) {
	var f failures
	at := time.Unix(1790000000, 0)
	for range maxFailures {
		if f.wait(at, "a", "b") != 0 {
			t.Fatal("refused too early")
		}
		f.add(at, "a")
	}
	if got := f.wait(at, "b", "a"); got != failureEvery {
		t.Errorf("wait %v after %d failures", got, maxFailures)
	}
	if f.wait(at, "b") != 0 {
		t.Error("others wait too")
	}
	if f.wait(at.Add(failureEvery), "a") != 0 {
		t.Error("it waits for ever")
	}
	for i := range 3 * maxFailing {
		f.add(at.Add(time.Hour), strconv.Itoa(i))
	}
	if len(f.of) > maxFailing {
		t.Errorf("%d addresses are remembered", len(f.of))
	}
}
