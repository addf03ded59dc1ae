package receives

func sum(lines []string) (n int) {
	c := make(chan string)
	go func() {
		defer close(c)
		for _, l := range lines {
			c <- l
		}
	}()
	// want C: Each receive from c waits about 5µs for its sender
	for l := range c { // block: runtime.chanrecv2 20000
		n += len(l)
	}
	return n
}

type feed struct{ in chan int }

func newFeed() *feed { return &feed{make(chan int)} }

func (f *feed) run(n int) (all int) {
	for range n {
		// want C: Each receive from f.in waits
		all += <-f.in // block: runtime.chanrecv1 20000
	}
	return all
}
