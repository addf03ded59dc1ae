package symbol

import (
	"debug/buildinfo"
	"fmt"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/profile"
)

// ReadBuild returns what Go recorded in the program of a mapping when it was built. It
// fails if the file isn't that program.
func ReadBuild(m *profile.Mapping) (*buildinfo.BuildInfo, error) {
	r, err := infile.Open(m.File)
	if err != nil {
		return nil, err
	}
	f, err := open(m.File, r)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if m.BuildID != "" && !f.hasBuildID(m.BuildID) {
		return nil, fmt.Errorf("%s has build ID %s, want %s", m.File, f.BuildID(), m.BuildID)
	}
	return buildinfo.Read(r)
}
