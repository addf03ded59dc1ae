// Defaultmux is a web server that serves http.DefaultServeMux, and with it
// its profiles.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	_ "net/http/pprof" // registers /debug/pprof/ on http.DefaultServeMux
	"time"
)

func main() {
	addr := flag.String("addr", "localhost:8080", "listen on `address`")
	flag.Parse()

	http.HandleFunc("GET /hash/{text}", hash)

	ln, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("profiles at http://%s/debug/pprof/", ln.Addr())
	// No WriteTimeout: a CPU profile takes as long to serve as it records.
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.Serve(ln))
}

func hash(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256([]byte(r.PathValue("text")))
	for range 10_000 {
		sum = sha256.Sum256(sum[:])
	}
	fmt.Fprintf(w, "%x\n", sum)
}
