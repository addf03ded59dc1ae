// The program calls functions before and after their rewrite with the same inputs, and
// prints a line of JSON for each that differs.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	after "example.com/m/after"
	before "example.com/m/before"
)

// A Difference is what main prints.
type Difference struct {
	Number   int
	Seed     uint64
	Kinds    []string // of what differs
	Old, New before.Trace
}

func main() {
	from := flag.Int("from", 0, "the first function's number")
	runs := flag.Int("runs", 40, "calls of each")
	flag.Parse()
	var numbers []int
	for n := range before.Functions {
		if n >= *from {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	var done atomic.Int64
	go func() { // what hangs ends the program; the caller goes on behind it
		for last := int64(-1); ; {
			time.Sleep(20 * time.Second)
			if now := done.Load(); now == last {
				fmt.Fprintln(os.Stderr, "hangs")
				os.Exit(3)
			} else {
				last = now
			}
		}
	}()
	out := json.NewEncoder(os.Stdout)
	for _, n := range numbers {
		fmt.Printf("%d\n", n)
		var seen []string
		for seed := range uint64(*runs) {
			old, new := before.Run(n, seed), before.Trace(after.Run(n, seed))
			done.Add(1)
			if old == new {
				continue
			}
			var kinds []string
			for _, k := range []struct{ name, old, new string }{{"result", old.Result, new.Result}, {"panic", old.Panic, new.Panic}, {"calls", old.Calls, new.Calls}, {"state", old.State, new.State}} {
				if k.old != k.new {
					kinds = append(kinds, k.name)
				}
			}
			if key := fmt.Sprint(kinds); !slices.Contains(seen, key) {
				seen = append(seen, key)
				out.Encode(Difference{n, seed, kinds, old, new})
			}
		}
	}
	fmt.Println("done")
}
