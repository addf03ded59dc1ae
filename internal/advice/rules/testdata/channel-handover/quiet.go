package quiet

// It has a buffer.
func buffered(n int) chan int {
	c := make(chan int, 100)
	for i := range n {
		c <- i // block: runtime.chansend1 20000
	}
	return c
}

// The receivers have work to do.
func slow(n int, c chan int) {
	d := make(chan int)
	for i := range n {
		d <- i // block: runtime.chansend1
	}
}

// Once.
func result() chan int {
	c := make(chan int)
	go func() {
		c <- 1 // block: runtime.chansend1 20000
	}()
	return c
}

// Nobody knows what is made elsewhere.
func Fill(c chan int, n int) {
	for i := range n {
		c <- i // block: runtime.chansend1 20000
	}
}

type Pipe struct{ Out chan int }

func newPipe() *Pipe { return &Pipe{make(chan int)} }

func (p *Pipe) run(n int) {
	for i := range n {
		p.Out <- i // block: runtime.chansend1 20000
	}
}

// One of two has a buffer.
type mixed struct{ c chan int }

func (m *mixed) run(n int) {
	for i := range n {
		m.c <- i // block: runtime.chansend1 20000
	}
}

func both() []*mixed { return []*mixed{{make(chan int)}, {make(chan int, 10)}} }

// A function that is used as a value may be called with anything.
func fill(c chan int, n int) {
	for i := range n {
		c <- i // block: runtime.chansend1 20000
	}
}

var filler = fill

func use() {
	c := make(chan int)
	go fill(c, 3)
	<-c
}

// Waiting to receive is what workers do.
func worker(n int) int {
	c := make(chan int)
	sum := 0
	for range n {
		sum += <-c // block: runtime.chanrecv1 20000
	}
	return sum
}

// The line that sends is reported.
func bothWait(n int) (all int) {
	c := make(chan int)
	go func() {
		for i := range n {
			c <- i // block: runtime.chansend1
		}
		close(c)
	}()
	for v := range c { // block: runtime.chanrecv2 20000
		all += v
	}
	return all
}

// What waits has nothing else to do.
func idle(c chan int) (all int) {
	d := make(chan int)
	for v := range d { // block: runtime.chanrecv2
		all += v
	}
	return all
}

// Once.
func answer() int {
	c := make(chan int)
	go func() { c <- 1 }()
	return <-c // block: runtime.chanrecv1 20000
}
