package advisor

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/rules"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/temporary"
)

// Limits of the cache: the largest report, and how many there are; the same of packages with what the compiler said.
const (
	maxCached   = 64 << 20
	maxReports  = 32
	maxPackage  = 16 << 20
	maxPackages = 500
)

// CacheFolder is where reports are kept; "" if the user has no such folder.
func CacheFolder() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "hone", "advice")
}

// A cached is a report, and what it was made from.
type cached struct {
	Modules []string // folders of the user's modules
	Sources digest   // of the files in them
	Report  *advice.Report
	Folders []string
	Texts   [][]advice.Text // of rewrites, by finding: a report in JSON doesn't have them
}

// Examine joins profiles with the module's source, using all rules. The states of findings don't
// include earlier attempts: see Mark.
func (m *Module) Examine(ctx context.Context, inputs []advice.Input, o advice.Options) (*advice.Report, error) {
	o.Dir, o.Rules, o.Likely = m.Dir, rules.All(), rules.Likely
	if m.Cache == "" || o.Foreign {
		return advice.Advise(ctx, inputs, o)
	}
	o.Kept = packages(filepath.Join(m.Cache, "compiler"))
	if o.Count != nil {
		return advice.Advise(ctx, inputs, o)
	}
	return m.examineCached(ctx, inputs, o)
}

// examineCached is Examine that returns the report of an earlier call, if nothing has changed. The file's name is the digest of
// the profiles, the options, the go command's environment and hone itself. The file has the digest of the sources. A cache
// that can't be read or written isn't reported as an error: hone makes the report again.
func (m *Module) examineCached(ctx context.Context, inputs []advice.Input, o advice.Options) (*advice.Report, error) {
	start := time.Now()
	if o.Stage != nil {
		o.Stage("looking for changes since the last time")
	}
	env, err := advice.Environ(ctx, m.Dir)
	if err != nil {
		return nil, err
	}
	o.Env = env
	key, ok := keyOf(inputs, &o)
	if !ok {
		return advice.Advise(ctx, inputs, o)
	}
	file := filepath.Join(m.Cache, key.String()+".json")
	if report := readCached(ctx, file, inputs, env); report != nil {
		return report, nil
	}
	report, err := advice.Advise(ctx, inputs, o)
	if err == nil {
		writeCached(ctx, file, report, inputs, env, start)
	}
	return report, err
}

// readCached returns the report in a file; nil if there is none, or if the sources have changed.
func readCached(ctx context.Context, file string, inputs []advice.Input, env *advice.GoEnv) *advice.Report {
	text, err := infile.ReadFile(ctx, file, maxCached)
	if err != nil {
		return nil
	}
	var c cached
	if json.Unmarshal(text, &c) != nil || c.Report == nil || len(c.Texts) != len(c.Report.Findings) {
		return nil
	}
	if now, _, err := sourcesOf(ctx, c.Modules, env, inputs); err != nil || now != c.Sources {
		return nil
	}
	c.Report.Folders, c.Report.Modules = c.Folders, c.Modules
	for i, t := range c.Texts {
		fix := c.Report.Findings[i].Fix
		if fix == nil {
			continue
		}
		if fix.SetTexts(t) != nil {
			return nil
		}
	}
	now := time.Now()
	os.Chtimes(file, now, now) // the oldest are removed
	return c.Report
}

// writeCached keeps a report that was begun at some time. If a source was written since, the report may be about either text, so
// it isn't kept. Nor is one that lacks something because go commands failed: they may need the network.
func writeCached(ctx context.Context, file string, report *advice.Report, inputs []advice.Input, env *advice.GoEnv, begun time.Time) {
	hidden := func(dir string) bool { return inHidden(dir, report.Modules) }
	if report.Failed || slices.ContainsFunc(report.Folders, hidden) {
		return
	}
	sources, newest, err := sourcesOf(ctx, report.Modules, env, inputs)
	if err != nil || !newest.Before(begun.Add(-clockStep)) {
		return
	}
	c := cached{Modules: report.Modules, Sources: sources, Report: report, Folders: report.Folders}
	for i := range report.Findings {
		var t []advice.Text
		if fix := report.Findings[i].Fix; fix != nil {
			t = fix.Texts()
		}
		c.Texts = append(c.Texts, t)
	}
	text, err := json.Marshal(&c)
	if err != nil || len(text) > maxCached || os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	if temporary.ReplaceText(file, 0o600, text) == nil {
		removeOldest(filepath.Dir(file), maxReports)
	}
}

// packages is a folder with what the compiler said, by package.
type packages string

func (dir packages) file(key string) string { return filepath.Join(string(dir), key+".json") }

func (dir packages) Read(ctx context.Context, key string) []byte {
	text, err := infile.ReadFile(ctx, dir.file(key), maxPackage)
	if err != nil {
		return nil
	}
	now := time.Now()
	os.Chtimes(dir.file(key), now, now) // the oldest are removed
	return text
}

func (dir packages) Write(key string, text []byte) {
	if len(text) > maxPackage || os.MkdirAll(string(dir), 0o700) != nil {
		return
	}
	if temporary.ReplaceText(dir.file(key), 0o600, text) == nil {
		removeOldest(string(dir), maxPackages)
	}
}

// clockStep is how coarse the times of files may be.
const clockStep = 20 * time.Millisecond

// removeOldest removes the files of a folder that were used longest ago, until there are only so many.
func removeOldest(dir string, most int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == ".json" {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, f := range files[min(most, len(files)):] {
		os.Remove(filepath.Join(dir, f.Name()))
	}
}
