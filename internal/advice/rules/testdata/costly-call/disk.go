package calls

import (
	"io/fs"
	"io/ioutil"
	"os"
	"path/filepath"
)

func setting(name string) (value string, known bool) {
	// want C: at startup
	value = os.Getenv(name) // hot: os.Getenv
	// want C: at startup
	_, known = os.LookupEnv(name) // hot: os.LookupEnv
	return value, known
}

func sizes(dir string) (n int64) {
	// want C: keep the answer as long as it may be stale
	info, _ := os.Stat(dir) // hot: os.Stat
	// want C: keep the answer as long as it may be stale
	link, _ := os.Lstat(dir) // hot: os.Lstat
	// want C: keep the answer as long as it may be stale
	real, _ := filepath.EvalSymlinks(dir) // hot: path/filepath.EvalSymlinks
	// want C: filepath.WalkDir and os.ReadDir
	list, _ := ioutil.ReadDir(real) // hot: io/ioutil.ReadDir
	// want C: filepath.WalkDir and os.ReadDir
	filepath.Walk(dir, func(_ string, info fs.FileInfo, _ error) error { n += info.Size(); return nil }) // hot: path/filepath.Walk
	return n + info.Size() + link.Size() + int64(len(list))
}
