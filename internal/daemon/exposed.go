package daemon

import (
	"os"
	"path/filepath"
	"runtime"
)

// exposed reports whether other users of the machine can read the store in a data directory.
// hone creates both for their owner only. Earlier versions relied on the data directory's mode.
func exposed(data string) bool {
	open := func(dir string) bool {
		info, err := os.Stat(dir)
		return err == nil && info.Mode().Perm()&0o001 != 0
	}
	return runtime.GOOS != "windows" && open(data) && open(filepath.Join(data, "store"))
}
