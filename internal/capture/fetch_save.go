package capture

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// maxSaved is the highest number that CreateSaved gives.
const maxSaved = 9999

// SaveDir returns the directory that keeps fetched profiles, and creates it:
// $PPROF_TMPDIR, else $HOME/pprof, else the system's temporary directory. A
// directory that cannot be created is passed over with a warning.
func SaveDir(getenv func(string) string) (dir string, warnings []string, err error) {
	var dirs []string
	if d := getenv("PPROF_TMPDIR"); d != "" {
		dirs = append(dirs, d)
	}
	home := "HOME"
	switch runtime.GOOS {
	case "windows":
		home = "USERPROFILE"
	case "plan9":
		home = "home"
	}
	if d := getenv(home); d != "" {
		dirs = append(dirs, filepath.Join(d, "pprof"))
	}
	for _, d := range append(dirs, os.TempDir()) {
		if err := os.MkdirAll(d, 0o755); err != nil {
			warnings = append(warnings, fmt.Sprintf("Could not use temp dir %s: %v", d, err))
			continue
		}
		return d, warnings, nil
	}
	return "", warnings, errors.New("failed to identify temp dir")
}

// SaveName returns the start of the name of a fetched profile's file, as in
// pprof.server.samples.cpu. — binary is the file of the first mapping, or
// empty. What a profile calls itself is never a path: separators become "_".
func SaveName(binary string, sampleTypes []string) string {
	name := "pprof."
	if binary != "" {
		name += filepath.Base(binary) + "."
	}
	for _, t := range sampleTypes {
		name += t + "."
	}
	return strings.NewReplacer("/", "_", string(filepath.Separator), "_", "\x00", "_").Replace(name)
}

// CreateSaved creates dir/prefixNNN.pb.gz with the lowest number that is free.
// It never opens a file that exists, and no two calls get the same one, not
// even from two processes.
func CreateSaved(dir, prefix string) (*os.File, error) {
	for n := 1; n <= maxSaved; n++ {
		name := filepath.Join(dir, fmt.Sprintf("%s%03d.pb.gz", prefix, n))
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
	return nil, fmt.Errorf("could not create file of the form %s001.pb.gz in %s: all %d exist", prefix, dir, maxSaved)
}
