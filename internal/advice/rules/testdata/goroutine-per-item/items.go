package items

import "sync"

func each(items []int, f func(int)) {
	var wg sync.WaitGroup
	for _, it := range items {
		wg.Add(1)
		// want C: Start one per CPU
		go func() { // hot: runtime.newproc
			defer wg.Done()
			f(it)
		}()
	}
	wg.Wait()
	for _, it := range items {
		// want C: Start one per CPU
		wg.Go(func() { f(it) }) // hot: sync.(*WaitGroup).Go runtime.newproc
	}
	for range 8 {
		// want C: goroutines each time takes a noticeable share of the time
		go f(1) // hot: runtime.newproc runtime.newproc1
	}
}
