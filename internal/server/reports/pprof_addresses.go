package reports

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
)

// pprofPages are the pages of go tool pprof -http, with the paths of the views
// that show the same here. Links and bookmarks of its users go on working.
var pprofPages = map[string]string{
	"": "/", "flamegraph": "/flame", "flamegraph2": "/flame", "flamegraphold": "/flame",
	"top": "/top", "graph": "/graph", "source": "/source", "disasm": "/disasm", "peek": "/peek",
}

// pprofParams are the short names that its addresses have for options.
var pprofParams = map[string]string{
	"f": "focus", "i": "ignore", "h": "hide", "s": "show", "sf": "show_from", "prunefrom": "prune_from",
	"tf": "tagfocus", "ti": "tagignore", "ts": "tagshow", "th": "taghide", "si": "sample_index", "g": "granularity",
	"n": "nodecount", "nf": "nodefraction", "ef": "edgefraction", "calltree": "call_tree", "rel": "relative_percentages",
	"dropneg": "drop_negative", "norm": "normalize",
}

// pprofAddresses adds the addresses of go tool pprof -http, which redirect.
func (s *Service) pprofAddresses() {
	to := func(path func(*http.Request) string) server.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) error {
			where := path(r)
			if where == "" {
				return server.NotFound("unknown page %s", r.URL.Path)
			}
			if query := pprofQuery(r.URL.Query()).Encode(); query != "" {
				sep := "?"
				if strings.Contains(where, "?") {
					sep = "&"
				}
				where += sep + query
			}
			http.Redirect(w, r, where, http.StatusFound)
			return nil
		}
	}
	for _, name := range []string{"flamegraph", "flamegraph2", "flamegraphold"} {
		s.srv.Handle("GET /"+name, auth.Read, to(func(*http.Request) string { return pprofPages[name] }))
	}
	s.srv.Handle("GET /ui/{name...}", auth.Read, to(func(r *http.Request) string {
		name := strings.TrimSuffix(r.PathValue("name"), "/")
		if name == "download" {
			return s.downloadAddress(r)
		}
		return pprofPages[name] // nothing else, so that none leads elsewhere
	}))
	s.srv.Handle("GET /download", auth.Read, to(s.downloadAddress))
}

// downloadAddress is the address of the profile that the page begins with, "" if
// there is none.
func (s *Service) downloadAddress(*http.Request) string {
	start := s.Start()
	if start == "" {
		return ""
	}
	values, err := url.ParseQuery(start)
	if err != nil || len(values["profile"]) == 0 {
		return ""
	}
	return "/api/v1/report/proto?" + url.Values{"profile": values["profile"], "base": values["base"], "download": {"true"}}.Encode()
}

// pprofQuery returns the options of an address of pprof by hone's names.
func pprofQuery(values url.Values) url.Values {
	out := url.Values{}
	for name, vs := range values {
		if own, ok := pprofParams[name]; ok {
			name = own
		}
		for _, v := range vs {
			if v != "" {
				out.Add(name, v)
			}
		}
	}
	return out
}
