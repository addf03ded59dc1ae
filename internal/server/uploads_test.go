package server

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func gunzip(t testing.TB, text string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func raw(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestUpload(t *testing.T) {
	s := newSite(t, nil, "cpu.generics.pb.gz")
	data := raw(t, "heap.inlining.pb.gz")
	r := s.do("POST", "/api/v1/profiles?name="+url.QueryEscape("a <b>.pb.gz"), data)
	p := decode[Profile](t, body(t, r))
	if r.StatusCode != 201 || p.Name != "a <b>.pb.gz" || p.State != stateReady || r.Header.Get("Location") != "/api/v1/profiles/"+p.ID {
		t.Errorf("%s: %+v", r.Status, p)
	}
	s.get("/api/v1/report/top?profile=" + p.ID)
	if again := s.do("POST", "/api/v1/profiles?name=other", data); again.StatusCode != 200 || !reflect.DeepEqual(decode[Profile](t, body(t, again)), p) {
		t.Errorf("opened again: %s", again.Status)
	}
	if again := s.do("POST", "/api/v1/profiles", raw(t, "cpu.generics.pb.gz")); again.StatusCode != 200 || decode[Profile](t, body(t, again)).ID != s.ids[0] {
		t.Errorf("what the command line opened is opened again: %s", again.Status)
	}
	if again := s.do("POST", "/api/v1/profiles", gunzip(t, data)); again.StatusCode != 200 {
		t.Errorf("the same content not compressed: %s", again.Status)
	}
	if n := len(s.profiles.list()); n != 2 {
		t.Errorf("%d profiles are open", n)
	}
	closed := newSite(t, func(c *Config) { c.Decode = nil })
	fails(t, closed.do("POST", "/api/v1/profiles", data), 403, "", "no profiles")
}

func TestBadUploads(t *testing.T) {
	s := newSite(t, nil)
	good := raw(t, "cpu.generics.pb.gz")
	plain := gunzip(t, good)
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	io.WriteString(w, plain)
	for range 100_000 {
		w.Write(append([]byte{0x32, 100}, make([]byte, 100)...)) // a string
	}
	w.Close()
	for name, test := range map[string]struct {
		data    string
		status  int
		message string
	}{
		"empty":     {"", 422, "empty"},
		"text":      {"hello, world, this is no profile\n", 422, ""},
		"cut":       {plain[:len(plain)/2], 422, "byte "},
		"cut gzip":  {good[:len(good)/2], 422, ""},
		"zip bomb":  {bomb.String(), 413, "limit"},
		"bad bytes": {plain[:40] + strings.Repeat("\xff", 60) + plain[100:], 422, "byte "},
	} {
		t.Run(name, func(t *testing.T) {
			fails(t, s.do("POST", "/api/v1/profiles?name=x", test.data), test.status, "", test.message)
		})
	}
	small := newSite(t, func(c *Config) { c.Limits.Body = 1000 })
	fails(t, small.do("POST", "/api/v1/profiles", good), 413, "", "too large")
	if n := len(s.profiles.list()); n != 0 {
		t.Errorf("%d profiles are open", n)
	}
}

func TestUploadLimits(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.Uploads = 3 }, "cpu.generics.pb.gz")
	var ids []string
	upload := func(i int) Profile {
		var b bytes.Buffer
		fileProfile(fmt.Sprintf("main.f%d", i), "f.go").Encode(&b)
		return decode[Profile](t, body(t, s.do("POST", fmt.Sprintf("/api/v1/profiles?name=p%d", i), b.String())))
	}
	for i := range 3 {
		ids = append(ids, upload(i).ID)
	}
	s.get("/api/v1/report/top?profile=" + ids[0]) // in use, so that the second is the oldest
	upload(3)
	fails(t, s.do("GET", "/api/v1/report/top?profile="+ids[1], ""), 404, "profile", "make room")
	s.get("/api/v1/report/top?profile=" + ids[0])
	s.get(s.report("top", ""))
	if upload(1).ID != ids[1] {
		t.Error("another id for the same content")
	}
	s.get("/api/v1/report/top?profile=" + ids[1])
	if n := len(s.profiles.list()); n != 4 {
		t.Errorf("%d profiles are open", n)
	}
	tiny := newSite(t, func(c *Config) { c.Limits.UploadBytes = 100 })
	fails(t, tiny.do("POST", "/api/v1/profiles", raw(t, "cpu.generics.pb.gz")), 413, "", "limit")
}

func TestViews(t *testing.T) {
	s := newSite(t, nil)
	list := func() string { return s.get("/api/v1/views") }
	if list() != `{"views":[]}`+"\n" {
		t.Error(list())
	}
	name := url.PathEscape("ein Name / mit ü?")
	if r := s.do("PUT", "/api/v1/views/"+name, `{"query":"nodecount=5&focus=json"}`); r.StatusCode != 200 {
		t.Fatal(r.Status, body(t, r))
	}
	s.do("PUT", "/api/v1/views/b", `{"query":"focus=a"}`)
	s.do("PUT", "/api/v1/views/b", `{"query":"focus=b"}`)
	want := `{"views":[{"name":"ein Name / mit ü?","query":"focus=json&nodecount=5"},{"name":"b","query":"focus=b"}]}` + "\n"
	if list() != want {
		t.Errorf("%s, want %s", list(), want)
	}
	info, err := os.Stat(s.views.file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if r := s.do("DELETE", "/api/v1/views/"+name, ""); r.StatusCode != 204 {
		t.Error(r.Status)
	}
	fails(t, s.do("DELETE", "/api/v1/views/"+name, ""), 404, "", "ein Name")

	for _, test := range []struct{ name, body, param string }{
		{"%20", `{"query":""}`, "name"},
		{"a%00b", `{"query":""}`, "name"},
		{"%ff", `{"query":""}`, "name"},
		{strings.Repeat("a", 101), `{"query":""}`, "name"},
		{"a", `query`, ""},
		{"a", `{"query":"focus=("}`, "focus"},
		{"a", `{"query":"source_path=/etc"}`, "source_path"},
		{"a", `{"query":"profile=x"}`, "profile"},
		{"a", `{"query":"focus=a&focus=b"}`, "focus"},
		{"a", `{"query":"%zz"}`, "query"},
		{"a", `{"query":"focus=` + strings.Repeat("a", 9000) + `"}`, "query"},
	} {
		fails(t, s.do("PUT", "/api/v1/views/"+test.name, test.body), 400, test.param, "")
	}
	fails(t, s.do("PUT", "/api/v1/views/a", strings.Repeat(" ", 1<<20)), 413, "", "")

	// What can't be read is not written over.
	const damaged = `{"version":1,"views":[{"na`
	os.WriteFile(s.views.file, []byte(damaged), 0o600)
	fails(t, s.do("GET", "/api/v1/views", ""), 422, "", "damaged")
	fails(t, s.do("PUT", "/api/v1/views/a", `{"query":""}`), 422, "", s.views.file)
	if data, _ := os.ReadFile(s.views.file); string(data) != damaged {
		t.Errorf("the file is now %s", data)
	}
	os.WriteFile(s.views.file, []byte(`{"version":2}`), 0o600)
	fails(t, s.do("PUT", "/api/v1/views/a", `{"query":""}`), 422, "", "newer")

	homeless := newSite(t, func(c *Config) { c.ViewsFile = "" })
	fails(t, homeless.do("PUT", "/api/v1/views/a", `{"query":""}`), 422, "", "folder")
}
