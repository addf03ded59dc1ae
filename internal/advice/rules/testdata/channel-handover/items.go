package items

func local(n int, work func(int)) {
	c := make(chan int)
	go func() {
		for v := range c {
			work(v)
		}
	}()
	for i := range n {
		// want C: because the channel is unbuffered
		c <- i // block: runtime.chansend1 20000
	}
	close(c)
}

type pipe struct{ out chan []byte }

func newPipe() *pipe { return &pipe{out: make(chan []byte, 0)} }

func (p *pipe) run(lines [][]byte) {
	for _, l := range lines {
		// want C: because the channel is unbuffered
		p.out <- l // block: runtime.chansend1 20000
	}
}

func start(lines []string) <-chan string {
	found := make(chan string)
	go produce(found, lines)
	return found
}

func produce(to chan<- string, lines []string) {
	for _, l := range lines {
		// want C: because the channel is unbuffered
		to <- l // block: runtime.chansend1 20000
	}
}
