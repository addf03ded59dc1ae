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
		// want C: and none runs before the function returns
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
		// want C: Move the loop body to a function
		defer mus[i].Unlock() // hot: runtime.deferproc runtime.newdefer
	}
}
