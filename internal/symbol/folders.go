package symbol

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/profile"
)

// Folders are directories in which executables may be opened, for servers: there
// whoever sends a profile chooses which files its mappings name.
type Folders []string

// plainID is what build IDs look like that may be part of a file's name.
var plainID = lazyregexp.New(`^[0-9A-Za-z_-]{3,}$`)

// Open opens the executable of a mapping. It is looked for by the mapping's own
// name, where that is in a folder, and in each folder under the names that
// LocateBinaries knows. Neither names nor symbolic links lead out of the folder,
// and nothing is opened that is not a regular file.
func (f Folders) Open(m *profile.Mapping) (*File, error) {
	if len(f) == 0 {
		return nil, fmt.Errorf("%s is not opened: this server has no folders for binaries (-binary-path)", m.File)
	}
	of := *m
	if !plainID.MatchString(of.BuildID) {
		of.BuildID = ""
	}
	for _, dir := range f {
		root, err := os.OpenRoot(dir)
		if err != nil {
			continue // like a folder without the file
		}
		file, err := openBelow(root, dir, append([]string{m.File}, candidates(&of, dir)...), m.BuildID)
		root.Close()
		if err == nil {
			return file, nil
		}
	}
	return nil, fmt.Errorf("%s was not found in this server's folders for binaries (-binary-path)", m.File)
}

// openBelow opens the first of names that is an executable below a folder, with
// the build ID if that is not "".
func openBelow(root *os.Root, dir string, names []string, buildID string) (*File, error) {
	for _, name := range names {
		rel, err := filepath.Rel(dir, name)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		r, err := infile.OpenIn(root, rel)
		if err != nil {
			continue
		}
		f, err := open(name, r)
		if err != nil {
			continue
		}
		if buildID == "" || f.hasBuildID(buildID) {
			return f, nil
		}
		f.Close()
	}
	return nil, errors.New("not found")
}
