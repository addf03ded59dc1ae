package load

import (
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// awake keeps the runtime from going to sleep between two requests. When no goroutine
// runs, its monitor thread (sysmon) sleeps deeply, and the next system call has to wake
// it; then it looks around every 20 µs until nothing runs again. At a few thousand
// requests per second that is twice for each request, and takes more processor time than
// the requests do.
//
// The monitor doesn't sleep so deeply while one of the runtime's processors is in a system
// call, but looks around every 10 ms. So a thread sleeps in system calls, on a processor
// that is added for it: goroutines have as many as before.
var awake struct {
	mu    sync.Mutex
	users int
	stop  chan struct{}
}

// nod is how long the thread sleeps in one system call. After 10 ms the monitor would
// take its processor away.
const nod = 8 * time.Millisecond

// keepAwake keeps the runtime awake until the function it returns is called.
func keepAwake() (release func()) {
	awake.mu.Lock()
	defer awake.mu.Unlock()
	if awake.users++; awake.users == 1 {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
		awake.stop = make(chan struct{})
		go sleepLightly(awake.stop)
	}
	return sync.OnceFunc(func() {
		awake.mu.Lock()
		defer awake.mu.Unlock()
		if awake.users--; awake.users == 0 {
			close(awake.stop)
			runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) - 1)
		}
	})
}

func sleepLightly(stop <-chan struct{}) {
	spec := unix.NsecToTimespec(int64(nod))
	for {
		select {
		case <-stop:
			return
		default:
		}
		if err := unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &spec, nil); err != nil && err != unix.EINTR {
			return
		}
		runtime.Gosched() // what runs for 10 ms without a break loses its processor, too
	}
}
