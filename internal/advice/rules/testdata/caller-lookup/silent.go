package silent

import (
	"log"
	"runtime"
)

var file string

func init() {
	_, file, _, _ = runtime.Caller(0) // hot: runtime.Caller
}

func request(path string) {
	log.Printf("asked for %s", path) // hot: log.Printf log.(*Logger).output os.(*File).Write
}
