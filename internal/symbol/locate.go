package symbol

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/hone-go/hone/profile"
)

// LocateBinaries returns p with the files of its mappings replaced by those
// found in searchPath, a list of directories as in PATH, and with execName and
// buildID, if not "", as file and build ID of the first mapping (the program
// itself; a build ID the mapping has is kept). A profile without mappings gets
// one that all its locations are in.
//
// A file is taken if it is an executable with the mapping's build ID, if the
// mapping has one. It is looked for under the names that perf, LLVM and GDB
// keep binaries and debug information under.
func LocateBinaries(p *profile.Profile, execName, buildID, searchPath string, warn func(string)) *profile.Profile {
	e := edit{p: p}
	dirs := filepath.SplitList(searchPath)
	dirs = slices.DeleteFunc(dirs, func(dir string) bool {
		_, err := os.Stat(dir)
		return err != nil
	})
	for i := range p.Mappings {
		if file := locate(&p.Mappings[i], dirs, warn); file != "" {
			e.mapping(i).File = file
		}
	}
	if len(p.Mappings) == 0 {
		q := e.profile()
		q.Mappings = []profile.Mapping{{ID: 1}}
		q.Locations = slices.Clone(q.Locations)
		for i := range q.Locations {
			q.Locations[i].Mapping = 1
		}
		e.ownMappings = true
	}
	if execName != "" {
		e.mapping(0).File = execName
	}
	if buildID != "" && e.p.Mappings[0].BuildID == "" {
		e.mapping(0).BuildID = buildID
	}
	return e.p
}

// locate returns the first file in dirs that is the mapping's, or "".
func locate(m *profile.Mapping, dirs []string, warn func(string)) string {
	for _, dir := range dirs {
		for _, name := range candidates(m, dir) {
			f, err := Open(name)
			if err != nil {
				continue
			}
			f.Close()
			if m.BuildID == "" || f.hasBuildID(m.BuildID) {
				return name
			}
			warn(fmt.Sprintf("Ignoring local file %s: build-id mismatch (%s != %s)", name, m.BuildID, f.BuildID()))
		}
	}
	return ""
}

// candidates returns the names m's file may have under dir, most specific first.
func candidates(m *profile.Mapping, dir string) []string {
	var names []string
	var path, base, parent string
	if m.File != "" {
		path = m.File[len(filepath.VolumeName(m.File)):]
		base, parent = filepath.Base(m.File), filepath.Dir(path)
	}
	if id := m.BuildID; id != "" {
		names = append(names, filepath.Join(dir, id, base))
		if found, err := filepath.Glob(filepath.Join(dir, id, "*")); err == nil {
			names = append(names, found...)
		}
		names = append(names, filepath.Join(dir, path, id)) // perf
		if len(id) > 2 {
			names = append(names, filepath.Join(dir, id[:2], id[2:]+".debug")) // LLVM
		}
	}
	if m.File != "" {
		names = append(names,
			filepath.Join(dir, base),
			filepath.Join(dir, path), // perf's symfs
			// GDB: https://sourceware.org/gdb/onlinedocs/gdb/Separate-Debug-Files.html
			filepath.Join(dir, path+".debug"),
			filepath.Join(dir, parent, ".debug", base+".debug"),
			filepath.Join(dir, "usr", "lib", "debug", parent, base+".debug"))
	}
	return names
}

// MappingSources says where the mappings of a profile were fetched from, by
// build ID or, for those without one, by file. The sources of merged profiles
// are appended to each other.
type MappingSources map[string][]MappingSource

// MappingSource is a server a mapping was profiled on.
type MappingSource struct {
	Source string // URL of the profile
	Start  uint64 // where the server has the mapping
}

// CollectSources returns the sources of the mappings of a profile fetched from
// the URL source. A mapping without build ID and file gets the URL as its
// file; [DropSources] undoes that.
func CollectSources(p *profile.Profile, source string) (*profile.Profile, MappingSources) {
	e := edit{p: p}
	sources := MappingSources{}
	for i := range p.Mappings {
		m := &p.Mappings[i]
		key := m.BuildID
		if key == "" {
			key = m.File
		}
		if key == "" {
			key = source
			e.mapping(i).File = source
		}
		sources[key] = append(sources[key], MappingSource{source, m.Start})
	}
	return e.p, sources
}

// DropSources returns p without the files that are URLs.
func DropSources(p *profile.Profile) *profile.Profile {
	e := edit{p: p}
	for i := range p.Mappings {
		m := &p.Mappings[i]
		if m.File == "" || m.BuildID != "" || filepath.VolumeName(m.File) != "" {
			continue
		}
		if u, err := url.Parse(m.File); err == nil && u.IsAbs() {
			e.mapping(i).File = ""
		}
	}
	return e.p
}
