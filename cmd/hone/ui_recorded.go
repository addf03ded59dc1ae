package main

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/profile"
)

// recordedFiles are the names of files in the profiles that the command line names. Those
// are the user's choice, as for hone list. What a page uploads may name any file.
type recordedFiles struct {
	mu    sync.Mutex
	names map[string]bool
}

func (r *recordedFiles) add(p *profile.Profile) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range p.Functions {
		if name := p.Strings[p.Functions[i].File]; filepath.IsAbs(name) {
			r.names[name] = true
		}
	}
}

func (r *recordedFiles) has(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.names[filepath.FromSlash(name)]
}

// serveRecorded makes a site show source at its recorded path, for the profiles of the
// command line. The site is for this machine only.
func serveRecorded(site *reports.Config, inv *shell.Invocation) {
	r := &recordedFiles{names: map[string]bool{}}
	for i := range site.Profiles {
		s := &site.Profiles[i]
		if s.Ready != nil {
			r.add(s.Ready)
		}
		if load := s.Load; load != nil {
			s.Load = func(ctx context.Context) (*profile.Profile, error) {
				p, err := load(ctx)
				if err == nil {
					r.add(p)
				}
				return p, err
			}
		}
	}
	site.Env.Text = srcfind.New(srcfind.Config{SearchPath: inv.SourcePath, TrimPath: inv.TrimPath, Confined: true, Recorded: r.has}).Find
}
