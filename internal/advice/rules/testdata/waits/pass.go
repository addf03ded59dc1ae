package waits

import "sync"

// sum adds up what a goroutine passes item by item.
func sum(items []int) (all int) {
	c := make(chan int)
	go func() {
		for _, v := range items {
			c <- v
		}
		close(c)
	}()
	for v := range c {
		all += v
	}
	return all
}

// sumInChunks passes many items at once.
func sumInChunks(items []int) (all int) {
	c := make(chan []int, 4)
	var sender sync.WaitGroup
	sender.Go(func() {
		for len(items) > 0 {
			n := min(1000, len(items))
			c <- items[:n]
			items = items[n:]
		}
		close(c)
	})
	for some := range c {
		for _, v := range some {
			all += v
		}
	}
	sender.Wait()
	return all
}
