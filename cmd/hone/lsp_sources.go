package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advisor"
	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/experiment/objective"
	"github.com/hone-go/hone/internal/lsp"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/runs"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/profile"
)

// runCosts are the costs in the newest run of a module.
type runCosts struct {
	ctx   context.Context // of hone lsp, for what outlives a request
	app   *app
	pages uiPages
}

// Stamp is made of the newest folders of runs: one that is being measured becomes complete later.
func (r *runCosts) Stamp(home string) string {
	const newest = 3
	root := filepath.Join(home, ".hone", "runs")
	folders, err := os.ReadDir(root)
	if err != nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d;", len(folders))
	for _, f := range folders[max(0, len(folders)-newest):] {
		if info, err := os.Stat(filepath.Join(root, f.Name(), "run.json")); err == nil {
			fmt.Fprintf(&b, "%s %d %d;", f.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

func (r *runCosts) Load(ctx context.Context, home string, _ lsp.Settings) (*lsp.Measurement, error) {
	run, p, err := openRun(ctx, r.app, filepath.Join(home, ".hone", "runs"), "latest")
	if err != nil {
		return nil, fmt.Errorf("%w; hone bench -profile cpu,mem records one", err)
	}
	m := &lsp.Measurement{
		Name: "run " + run.ID, Revision: run.Head.Commit, Dirty: run.Head.Dirty, Taken: run.Created, Kind: "benchmark", Benchmarks: p.benchmarks,
	}
	if run.HasLoad() {
		m.Kind = "profile"
	}
	if c := run.Head.Commit; c != "" {
		m.Version = c[:min(8, len(c))]
		if run.Head.Dirty {
			m.Version += ", uncommitted changes"
		}
	}
	subjects, _ := advisor.OfRun(run)
	for i, in := range p.inputs {
		m.Profiles = append(m.Profiles, lsp.Profile{Input: in, ID: runs.ProfileID(run, subjects[i].ProfileFile)})
	}
	return m, nil
}

func (r *runCosts) Page(_ context.Context, home, profile, function string) (string, error) {
	base, err := r.pages.of(r.ctx, home)
	if err != nil {
		return "", err
	}
	return functionPage(base, profile, function), nil
}

// functionPage is the address of the source of a function in a profile.
func functionPage(base, profile, function string) string {
	return base + "/source?" + url.Values{"profile": {profile}, "fn": {function}}.Encode()
}

// uiPages are web UIs of folders with runs, in this process. Each starts when it is first needed, and ends with ctx.
type uiPages struct {
	app    *app
	mu     sync.Mutex
	byHome map[string]string // addresses
}

// of returns the address of a folder's web UI. ctx is that of hone lsp: a request's would end it.
func (p *uiPages) of(ctx context.Context, home string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if base := p.byHome[home]; base != "" {
		return base, nil
	}
	inv, err := shell.ParseVerb("ui", nil, p.app.stderr)
	if err != nil {
		return "", err
	}
	site, err := siteOfProfiles(ctx, p.app, inv, false)
	if err != nil {
		return "", err
	}
	source := srcfind.New(srcfind.Config{Dir: home, Confined: true})
	site.Env.Text, site.TextAt = source.Find, source.At
	objectives := func(ctx context.Context) []objective.Objective {
		all, _ := objective.ReadOwn(ctx, home) // hone check reports what is wrong with them
		return all
	}
	kept, err := runs.Open(ctx, filepath.Join(home, ".hone", "runs"), nil, objectives, func(file string) func(context.Context) (*profile.Profile, error) {
		return loadLater(p.app, inv, false, file)
	})
	if err != nil {
		return "", err
	}
	listener, err := listenUI(ctx, "localhost", "0")
	if err != nil {
		return "", err
	}
	reach := server.Reachable("localhost", listener.Addr())
	srv, _, err := uiServer(ctx, p.app, inv, uiFlags{runsLater: true, module: home}, site, kept, reach)
	if err != nil {
		listener.Close()
		return "", err
	}
	go func() {
		if err := srv.Serve(ctx, listener); err != nil && ctx.Err() == nil {
			p.app.warn("hone lsp: " + err.Error())
		}
	}()
	p.byHome[home] = "http://" + reach.Hosts[0]
	return p.byHome[home], nil
}

// serviceCosts are the costs of a service in the last hour, of its newest version.
type serviceCosts struct{ client *serverClient }

// serviceSpan is how far back profiles of a service count; they are asked for again after serviceAge.
const (
	serviceSpan = "-1h"
	serviceAge  = 5 * time.Minute
)

func (s *serviceCosts) Stamp(string) string { return time.Now().Truncate(serviceAge).String() }

func (s *serviceCosts) Load(ctx context.Context, _ string, c lsp.Settings) (*lsp.Measurement, error) {
	selector, name := c.Service, c.Service
	if !strings.HasPrefix(selector, "{") {
		selector = "{service=" + strconv.Quote(selector) + "}"
		name = "service " + name
	}
	m := &lsp.Measurement{Name: name}
	var services struct {
		Services []api.Service `json:"services"`
	}
	if err := s.client.json(ctx, "/api/v1/services", url.Values{"q": {selector}, "from": {serviceSpan}}, &services); err != nil {
		return nil, err
	}
	for _, of := range services.Services {
		if len(of.Versions) > 0 && of.Versions[0].Version != "" && m.Version == "" {
			m.Version = of.Versions[0].Version
			m.Revision = m.Version
			inside := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(selector, "{"), "}"))
			if inside != "" {
				inside += ", "
			}
			selector = "{" + inside + "version=" + strconv.Quote(m.Version) + "}"
		}
	}
	var inputs []advice.Input
	for _, kind := range advisor.ServiceKinds {
		query := url.Values{"q": {kind + selector}, "from": {serviceSpan}}
		got, err := s.client.profile(ctx, query, profile.DefaultLimits())
		var status *statusError
		switch {
		case errors.As(err, &status) && status.status == http.StatusNotFound:
			continue // it may have other kinds
		case err != nil:
			return nil, err
		}
		inputs = append(inputs, advice.Input{Profile: got, Subject: name, Kind: advisor.Kind(kind)})
		m.Profiles = append(m.Profiles, lsp.Profile{ID: "sel:" + query.Encode()})
	}
	if len(inputs) == 0 {
		return nil, fmt.Errorf("%s has no profiles of the last hour", name)
	}
	advisor.CountOnce(inputs)
	for i := range m.Profiles {
		m.Profiles[i].Input = inputs[i]
	}
	return m, nil
}

func (s *serviceCosts) Page(_ context.Context, _, profile, function string) (string, error) {
	return functionPage(s.client.base.String(), profile, function), nil
}
