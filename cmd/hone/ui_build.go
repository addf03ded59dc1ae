package main

import (
	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/symbol"
	"github.com/hone-go/hone/profile"
)

// buildOf returns the build information in a profile's program, nil if the program isn't there.
func buildOf(p *profile.Profile) *api.Build {
	if len(p.Mappings) == 0 {
		return nil
	}
	info, err := symbol.ReadBuild(&p.Mappings[0])
	if err != nil {
		return nil
	}
	b := &api.Build{Package: info.Path, Module: info.Main.Path, Version: info.Main.Version, Go: info.GoVersion}
	if b.Version == "(devel)" {
		b.Version = ""
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}
