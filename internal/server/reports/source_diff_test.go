package reports_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"testing"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/servertest"
	"github.com/hone-go/hone/internal/srcfind"
)

// TestSourceDiffRevisions reads each side at the revision of its build, at the one that the
// request names, and the file as it is now if it had uncommitted changes.
func TestSourceDiffRevisions(t *testing.T) {
	builds := map[int]*api.Build{0: {Revision: "aaaaaaa"}, 1: {Revision: "bbbbbbb", Modified: true}, 3: {Version: "v1.2.3"}}
	at := func(_ context.Context, file, revision string) (*srcfind.Text, error) {
		if revision == "lost" {
			return nil, errors.New("the repository doesn't have lost")
		}
		return &srcfind.Text{Path: file, Commit: "full-" + revision, Lines: make([]string, 500)}, nil
	}
	s := servertest.NewSite(t, func(cfg *servertest.Config) {
		for i, build := range builds {
			cfg.Profiles.Profiles[i].Build = build
		}
		cfg.TextAt = at
		cfg.Env.Text = func(file string) (*srcfind.Text, error) {
			return &srcfind.Text{Path: file, Lines: make([]string, 500)}, nil
		}
	}, "cpu.wordcount-v1.pb.gz", "cpu.wordcount-v2.pb.gz", "cpu.std-flate.pb.gz", "cpu.json-decode.pb.gz")
	for _, test := range []struct {
		name                   string
		base, head             []int
		given                  string
		wantBase, wantHead     report.Revision
		baseCommit, headCommit string
		missed                 string
	}{
		{"one each", []int{0}, []int{3}, "", report.Revision{Name: "aaaaaaa"}, report.Revision{Name: "v1.2.3"}, "full-aaaaaaa", "full-v1.2.3", ""},
		{"uncommitted changes", []int{0}, []int{1}, "", report.Revision{Name: "aaaaaaa"}, report.Revision{Name: "bbbbbbb", Modified: true}, "full-aaaaaaa", "", ""},
		{"unknown", []int{2}, []int{0}, "", report.Revision{}, report.Revision{Name: "aaaaaaa"}, "", "full-aaaaaaa", ""},
		{"several", []int{0, 3}, []int{0}, "", report.Revision{Several: true}, report.Revision{Name: "aaaaaaa"}, "", "full-aaaaaaa", ""},
		{"given", []int{2}, []int{1}, "&base_revision=v1&revision=v2", report.Revision{Name: "v1"}, report.Revision{Name: "v2"}, "full-v1", "full-v2", ""},
		{"lost", []int{0}, []int{0}, "&base_revision=lost", report.Revision{Name: "lost"}, report.Revision{Name: "aaaaaaa"}, "", "full-aaaaaaa", "the repository doesn't have lost"},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := url.Values{"match": {`^runtime\.mallocgc$`}}
			for _, i := range test.base {
				q.Add("base", s.IDs[i])
			}
			for _, i := range test.head {
				q.Add("profile", s.IDs[i])
			}
			got := servertest.Decode[struct{ Report report.SourceDiff }](t, s.Get("/api/v1/report/source/diff?"+q.Encode()+test.given)).Report
			if got.Base != test.wantBase || got.Head != test.wantHead {
				t.Errorf("revisions %+v and %+v, want %+v and %+v", got.Base, got.Head, test.wantBase, test.wantHead)
			}
			if len(got.Funcs) != 1 {
				t.Fatalf("%d functions", len(got.Funcs))
			}
			f := got.Funcs[0]
			if have := fmt.Sprint(f.Base.Commit, " ", f.Head.Commit, " ", f.Base.Missed); have != test.baseCommit+" "+test.headCommit+" "+test.missed {
				t.Errorf("read at %s", have)
			}
		})
	}
}
