package calls

import (
	"io/fs"
	"io/ioutil"
	"os"
	"path/filepath"
)

func setting(name string) (value string, known bool) {
	// want C: where the program begins
	value = os.Getenv(name) // hot: os.Getenv
	// want C: where the program begins
	_, known = os.LookupEnv(name) // hot: os.LookupEnv
	return value, known
}

func sizes(dir string) (n int64) {
	// want C: keep what it said
	info, _ := os.Stat(dir) // hot: os.Stat
	// want C: keep what it said
	link, _ := os.Lstat(dir) // hot: os.Lstat
	// want C: keep what it said
	real, _ := filepath.EvalSymlinks(dir) // hot: path/filepath.EvalSymlinks
	// want C: filepath.WalkDir and os.ReadDir
	list, _ := ioutil.ReadDir(real) // hot: io/ioutil.ReadDir
	// want C: filepath.WalkDir and os.ReadDir
	filepath.Walk(dir, func(_ string, info fs.FileInfo, _ error) error { n += info.Size(); return nil }) // hot: path/filepath.Walk
	return n + info.Size() + link.Size() + int64(len(list))
}
