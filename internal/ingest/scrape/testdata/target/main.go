// Command target is a plain program with net/http/pprof that works when it is
// asked to. It tells its address and ends when its input does.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"sync"
	"time"
)

func init() { runtime.MemProfileRate = 1024 }

var kept [][]byte

func work(w http.ResponseWriter, _ *http.Request) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 10 {
				mu.Lock()
				kept = append(kept[max(0, len(kept)-50):], make([]byte, 5000+i))
				time.Sleep(time.Millisecond)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	spin(100 * time.Millisecond)
	runtime.GC() // so that the heap profile is of now
	runtime.GC()
	fmt.Fprintln(w, "done")
}

func spin(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

func main() {
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	http.HandleFunc("GET /work", work)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(ln.Addr())
	go http.Serve(ln, nil)
	io.Copy(io.Discard, os.Stdin)
}
