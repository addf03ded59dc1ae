// Custommux is a web server with a mux of its own. Its profiles are served by
// a second mux on a second port, which only this machine can reach.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/pprof"
	"time"
)

func main() {
	addr := flag.String("addr", ":8080", "serve the public on `address`")
	debugAddr := flag.String("debug", "localhost:6060", "serve profiles on `address`")
	flag.Parse()

	public := http.NewServeMux()
	public.HandleFunc("GET /hash/{text}", hash)
	publicServer := &http.Server{
		Handler:           public,
		ReadHeaderTimeout: 5 * time.Second,
		WriteTimeout:      10 * time.Second,
	}
	// No WriteTimeout: a CPU profile takes as long to serve as it records.
	debugServer := &http.Server{
		Handler:           profiles(),
		ReadHeaderTimeout: 5 * time.Second,
	}

	publicListener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	debugListener, err := net.Listen("tcp", *debugAddr)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("serving at http://%s/hash/", publicListener.Addr())
	log.Printf("profiles at http://%s/debug/pprof/", debugListener.Addr())

	failed := make(chan error)
	go func() { failed <- publicServer.Serve(publicListener) }()
	go func() { failed <- debugServer.Serve(debugListener) }()
	log.Fatal(<-failed)
}

// profiles returns a mux with every endpoint of net/http/pprof. The paths are
// fixed: Index finds the profile's name (heap, block, ...) behind its prefix.
func profiles() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index) // and heap, allocs, goroutine, block, mutex, threadcreate
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile) // CPU
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

func hash(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256([]byte(r.PathValue("text")))
	for range 10_000 {
		sum = sha256.Sum256(sum[:])
	}
	fmt.Fprintf(w, "%x\n", sum)
}
