package server_test

import (
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/servertest"

	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestETag(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.generics.pb.gz")
	for _, target := range []string{s.Report("top", ""), s.Report("flame", "format=svg"), s.Report("proto", ""), "/api/v1/profiles", "/", "/assets/index-1a.js"} {
		for _, encoding := range []string{"", "gzip"} {
			first := s.Do("GET", target, "", servertest.Header("Accept-Encoding", encoding))
			tag := first.Header.Get("ETag")
			if first.StatusCode != 200 || tag == "" {
				t.Fatalf("%s: %s, ETag %q", target, first.Status, tag)
			}
			again := s.Do("GET", target, "", servertest.Header("Accept-Encoding", encoding), servertest.Header("If-None-Match", `"other", W/`+tag))
			if again.StatusCode != http.StatusNotModified || servertest.Body(t, again) != "" || again.Header.Get("ETag") != tag {
				t.Errorf("%s: %s", target, again.Status)
			}
			if r := s.Do("GET", target, "", servertest.Header("If-None-Match", `"other"`)); r.StatusCode != 200 {
				t.Errorf("%s with another tag: %s", target, r.Status)
			}
		}
	}
	a := s.Do("GET", s.Report("top", "focus=main&nodecount=5"), "").Header.Get("ETag")
	b := s.Do("GET", s.Report("top", "trim=true&nodecount=5&focus=main&hide="), "").Header.Get("ETag")
	if a != b {
		t.Error("the same question asked in other words gets another answer")
	}
	if head := s.Do("HEAD", s.Report("top", ""), ""); head.StatusCode != 200 || servertest.Body(t, head) != "" || head.Header.Get("Content-Length") == "0" {
		t.Errorf("HEAD: %s", head.Status)
	}
}

func TestGzip(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.generics.pb.gz")
	target := s.Report("top", "")
	plain := s.Get(target)
	for accept, want := range map[string]bool{
		"gzip": true, "br, gzip;q=0.5": true, "*": true, "deflate": false, "gzip;q=0": false, "gzip; q=0.0, br": false, "": false,
	} {
		r := s.Do("GET", target, "", servertest.Header("Accept-Encoding", accept))
		if got := r.Header.Get("Content-Encoding") == "gzip"; got != want {
			t.Errorf("Accept-Encoding %q: compressed is %t", accept, got)
		}
		text := servertest.Body(t, r)
		if want {
			if len(text) > len(plain)/3 {
				t.Errorf("%d bytes compressed to %d", len(plain), len(text))
			}
			if text = servertest.Gunzip(t, text); text != plain {
				t.Error("other bytes when compressed")
			}
		}
		if r.Header.Get("Vary") != "Accept-Encoding" {
			t.Error("caches may mix up compressed and plain answers")
		}
	}
	if r := s.Do("GET", s.Report("proto", ""), "", servertest.Header("Accept-Encoding", "gzip")); r.Header.Get("Content-Encoding") != "" {
		t.Error("what is compressed is compressed again")
	}
}

func TestDownload(t *testing.T) {
	s := servertest.NewSite(t, func(c *servertest.Config) { c.Profiles.Profiles[0].Name = "../ü\"<\r\n>/.cpu.pb.gz" }, "cpu.generics.pb.gz")
	for query, want := range map[string]string{
		"top?format=text":  "-top.txt",
		"top?format=csv":   "-top.csv",
		"proto?":           ".pb.gz",
		"flame?format=svg": "-flame.svg",
	} {
		name, q, _ := strings.Cut(query, "?")
		r := s.Do("GET", s.Report(name, q+"&download=1"), "")
		got := r.Header.Get("Content-Disposition")
		unescaped, _ := url.PathUnescape(got)
		if r.StatusCode != 200 || !strings.HasPrefix(got, "attachment; filename*=utf-8''") || !strings.HasSuffix(got, want) || strings.ContainsAny(unescaped, "/\\<>\r\n\"") {
			t.Errorf("%s: %s, Content-Disposition %q", query, r.Status, got)
		}
	}
	for _, test := range [][2]string{{"", "profile"}, {"...", "profile"}, {"a/b\\c", "a_b_c"}, {"cpu.pb.gz", "cpu.pb.gz"}, {"a\u202egz.exe", "a_gz.exe"}, {strings.Repeat("ä", 100), strings.Repeat("ä", 50)}} {
		if got := server.SafeFileName(test[0]); got != test[1] {
			t.Errorf("server.SafeFileName(%q) = %q, want %q", test[0], got, test[1])
		}
	}
	// A page made of a profile is a file, asked for as one or not, and if it is
	// shown after all it can do nothing.
	r := s.Do("GET", s.Report("flame", "format=html"), "")
	if !strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment") || !strings.HasPrefix(r.Header.Get("Content-Security-Policy"), "sandbox;") {
		t.Errorf("a page is served as %v", r.Header)
	}
}
