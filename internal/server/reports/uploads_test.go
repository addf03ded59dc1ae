package reports_test

import (
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/server/servertest"

	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/api"
)

func TestUpload(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.generics.pb.gz")
	data := servertest.Raw(t, "heap.inlining.pb.gz")
	r := s.Do("POST", "/api/v1/profiles?name="+url.QueryEscape("a <b>.pb.gz"), data)
	p := servertest.Decode[api.Profile](t, servertest.Body(t, r))
	if r.StatusCode != 201 || p.Name != "a <b>.pb.gz" || p.State != reports.StateReady || r.Header.Get("Location") != "/api/v1/profiles/"+p.ID {
		t.Errorf("%s: %+v", r.Status, p)
	}
	s.Get("/api/v1/report/top?profile=" + p.ID)
	if again := s.Do("POST", "/api/v1/profiles?name=other", data); again.StatusCode != 200 || !reflect.DeepEqual(servertest.Decode[api.Profile](t, servertest.Body(t, again)), p) {
		t.Errorf("opened again: %s", again.Status)
	}
	if again := s.Do("POST", "/api/v1/profiles", servertest.Raw(t, "cpu.generics.pb.gz")); again.StatusCode != 200 || servertest.Decode[api.Profile](t, servertest.Body(t, again)).ID != s.IDs[0] {
		t.Errorf("what the command line opened is opened again: %s", again.Status)
	}
	if again := s.Do("POST", "/api/v1/profiles", servertest.Gunzip(t, data)); again.StatusCode != 200 {
		t.Errorf("the same content not compressed: %s", again.Status)
	}
	if n := s.Reports.Listed(); n != 2 {
		t.Errorf("%d profiles are open", n)
	}
	closed := servertest.NewSite(t, func(c *servertest.Config) { c.Decode = nil })
	servertest.Fails(t, closed.Do("POST", "/api/v1/profiles", data), 403, "", "accepts no uploads")
}

func TestBadUploads(t *testing.T) {
	s := servertest.NewSite(t, nil)
	good := servertest.Raw(t, "cpu.generics.pb.gz")
	plain := servertest.Gunzip(t, good)
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
			servertest.Fails(t, s.Do("POST", "/api/v1/profiles?name=x", test.data), test.status, "", test.message)
		})
	}
	small := servertest.NewSite(t, func(c *servertest.Config) { c.Limits.Body = 1000 })
	servertest.Fails(t, small.Do("POST", "/api/v1/profiles", good), 413, "", "too large")
	if n := s.Reports.Listed(); n != 0 {
		t.Errorf("%d profiles are open", n)
	}
}

func TestUploadLimits(t *testing.T) {
	s := servertest.NewSite(t, func(c *servertest.Config) { c.Limits.Uploads = 3 }, "cpu.generics.pb.gz")
	var ids []string
	upload := func(i int) api.Profile {
		var b bytes.Buffer
		fileProfile(fmt.Sprintf("main.f%d", i), "f.go").Encode(&b)
		return servertest.Decode[api.Profile](t, servertest.Body(t, s.Do("POST", fmt.Sprintf("/api/v1/profiles?name=p%d", i), b.String())))
	}
	for i := range 3 {
		ids = append(ids, upload(i).ID)
	}
	s.Get("/api/v1/report/top?profile=" + ids[0]) // in use, so that the second is the oldest
	upload(3)
	servertest.Fails(t, s.Do("GET", "/api/v1/report/top?profile="+ids[1], ""), 404, "profile", "make room")
	s.Get("/api/v1/report/top?profile=" + ids[0])
	s.Get(s.Report("top", ""))
	if upload(1).ID != ids[1] {
		t.Error("another id for the same content")
	}
	s.Get("/api/v1/report/top?profile=" + ids[1])
	if n := s.Reports.Listed(); n != 4 {
		t.Errorf("%d profiles are open", n)
	}
	tiny := servertest.NewSite(t, func(c *servertest.Config) { c.Limits.UploadBytes = 100 })
	servertest.Fails(t, tiny.Do("POST", "/api/v1/profiles", servertest.Raw(t, "cpu.generics.pb.gz")), 413, "", "limit")
}

func TestViews(t *testing.T) {
	s := servertest.NewSite(t, nil)
	list := func() string { return s.Get("/api/v1/views") }
	if list() != `{"views":[]}`+"\n" {
		t.Error(list())
	}
	name := url.PathEscape("ein Name / mit ü?")
	if r := s.Do("PUT", "/api/v1/views/"+name, `{"query":"nodecount=5&focus=json"}`); r.StatusCode != 200 {
		t.Fatal(r.Status, servertest.Body(t, r))
	}
	s.Do("PUT", "/api/v1/views/b", `{"query":"focus=a"}`)
	s.Do("PUT", "/api/v1/views/b", `{"query":"focus=b"}`)
	want := `{"views":[{"name":"ein Name / mit ü?","query":"focus=json&nodecount=5"},{"name":"b","query":"focus=b"}]}` + "\n"
	if list() != want {
		t.Errorf("%s, want %s", list(), want)
	}
	info, err := os.Stat(s.Config.ViewsFile)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if r := s.Do("DELETE", "/api/v1/views/"+name, ""); r.StatusCode != 204 {
		t.Error(r.Status)
	}
	servertest.Fails(t, s.Do("DELETE", "/api/v1/views/"+name, ""), 404, "", "ein Name")

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
		servertest.Fails(t, s.Do("PUT", "/api/v1/views/"+test.name, test.body), 400, test.param, "")
	}
	servertest.Fails(t, s.Do("PUT", "/api/v1/views/a", strings.Repeat(" ", 1<<20)), 413, "", "")

	// What can't be read is not written over.
	const damaged = `{"version":1,"views":[{"na`
	os.WriteFile(s.Config.ViewsFile, []byte(damaged), 0o600)
	servertest.Fails(t, s.Do("GET", "/api/v1/views", ""), 422, "", "damaged")
	servertest.Fails(t, s.Do("PUT", "/api/v1/views/a", `{"query":""}`), 422, "", s.Config.ViewsFile)
	if data, _ := os.ReadFile(s.Config.ViewsFile); string(data) != damaged {
		t.Errorf("the file is now %s", data)
	}
	os.WriteFile(s.Config.ViewsFile, []byte(`{"version":2}`), 0o600)
	servertest.Fails(t, s.Do("PUT", "/api/v1/views/a", `{"query":""}`), 422, "", "newer")

	homeless := servertest.NewSite(t, func(c *servertest.Config) { c.ViewsFile = "" })
	servertest.Fails(t, homeless.Do("PUT", "/api/v1/views/a", `{"query":""}`), 422, "", "folder")
}
