package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/infile"
)

// readOverlay returns what the overlay that flags name has, for the go command that
// runs in dir. As there the last one counts, and none without one.
func readOverlay(flags []string, dir string) (map[string]string, error) {
	absolute := func(file string) string {
		if file == "" || filepath.IsAbs(file) {
			return file
		}
		return filepath.Join(dir, file)
	}
	var all struct{ Replace map[string]string }
	for _, f := range slices.Backward(flags) {
		file, ok := strings.CutPrefix(strings.TrimLeft(f, "-"), "overlay=")
		if !ok {
			continue
		}
		if file != "" {
			text, err := infile.ReadFile(context.Background(), absolute(file), infile.MaxSource)
			if err == nil {
				err = json.Unmarshal(text, &all)
			}
			if err != nil {
				return nil, fmt.Errorf("-overlay %s: %w", file, err)
			}
		}
		break
	}
	replace := make(map[string]string)
	for file, instead := range all.Replace {
		replace[filepath.Clean(absolute(file))] = absolute(instead)
	}
	return replace, nil
}

// withOverlay returns flags with an overlay instead of the user's.
func withOverlay(flags []string, overlay string) []string {
	kept := slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return strings.HasPrefix(strings.TrimLeft(f, "-"), "overlay=") })
	return append(kept, "-overlay="+overlay)
}
