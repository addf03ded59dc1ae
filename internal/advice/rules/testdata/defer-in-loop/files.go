package files

import (
	"os"
	"sync"
)

func size(names []string) (n int64, err error) {
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return 0, err
		}
		// want C: none runs before the function ends
		defer f.Close() // hot: runtime.deferproc
		if st, err := f.Stat(); err == nil {
			n += st.Size()
		}
	}
	return n, nil
}

func locked(mus []*sync.Mutex) {
	for i := 0; i < len(mus); i++ {
		mus[i].Lock()
		// want C: own, or call it
		defer mus[i].Unlock() // hot: runtime.deferproc runtime.newdefer
	}
}
