// Withagent is a batch job that package agent profiles: into files, which its
// flags name, and over HTTP.
package main

import (
	"crypto/sha256"
	"flag"
	"log"
	"time"

	"github.com/hone-go/hone/agent"
)

func main() {
	debugAddr := flag.String("debug", "", "serve profiles on `address`, such as localhost:6060")
	workFor := flag.Duration("for", 5*time.Second, "stop after `duration`")
	defer agent.Parse()() // adds -cpuprofile and the like, and parses the command line

	if *debugAddr != "" {
		server, err := agent.Listen(*debugAddr)
		if err != nil {
			log.Print(err) // a job that cannot be profiled still does its work
		} else {
			defer server.Close()
			log.Printf("profiles at %s", server.URL())
		}
	}
	for end := time.Now().Add(*workFor); time.Now().Before(end); {
		hash()
	}
}

func hash() (sum [32]byte) {
	for range 10_000 {
		sum = sha256.Sum256(sum[:])
	}
	return sum
}
