package silent

import (
	"os"
	"sync"
)

var page = sync.OnceValues(func() ([]byte, error) {
	return os.ReadFile("page.html") // hot: os.ReadFile
})

func loadConfig(name string) ([]byte, error) {
	return os.ReadFile(name) // hot: os.ReadFile
}

func memory() ([]byte, error) {
	if _, err := page(); err != nil { // hot: sync.OnceValues os.ReadFile
		return nil, err
	}
	return os.ReadFile("/proc/self/statm") // hot: os.ReadFile
}

func init() {
	os.ReadDir(".") // hot: os.ReadDir
}
