package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// measured is what hone found in a case, or why there is nothing.
type measured struct {
	dir   string
	found []finding
	err   error
	took  time.Duration
}

// judgeAll judges cases, -parallel at once. With -for, none begins after that time, and they come in
// an order that their IDs alone give, so that those there was time for are a sample.
func judgeAll(o *options, cases []testCase) *tally {
	begin, loadBefore := time.Now(), load()
	if o.within > 0 {
		cases = slices.SortedFunc(slices.Values(cases), func(a, b testCase) int { return compareHashes(a.ID, b.ID) })
	}
	var (
		total    tally
		counting sync.Mutex
	)
	begun := inParallel(o, cases, func(c testCase) { judgeOne(o, &c, &total, &counting) })
	fmt.Printf("\n%d of %d cases in %v; load before %s, after %s\n", begun, len(cases), time.Since(begin).Round(time.Second), loadBefore, load())
	return &total
}

// inParallel does items, -parallel at once, begins none after -for, and returns how many it began.
func inParallel[T any](o *options, items []T, do func(T)) (begun int) {
	begin := time.Now()
	var taking sync.Mutex
	take := func() (item T, ok bool) {
		taking.Lock()
		defer taking.Unlock()
		if begun == len(items) || o.within > 0 && time.Since(begin) > o.within {
			return item, false
		}
		begun++
		return items[begun-1], true
	}
	var workers sync.WaitGroup
	for range max(1, o.parallel) {
		workers.Go(func() {
			for item, ok := take(); ok; item, ok = take() {
				do(item)
			}
		})
	}
	workers.Wait()
	return begun
}

func judgeOne(o *options, c *testCase, total *tally, counting *sync.Mutex) {
	dir, done, err := o.folder(c)
	if err != nil {
		log.Fatal(err)
	}
	defer done()
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout)
	defer cancel()
	start := time.Now()
	found, err := advise(ctx, o, c, dir)
	m := measured{dir: dir, found: found, err: err, took: time.Since(start).Round(time.Second)}
	counting.Lock()
	defer counting.Unlock()
	total.judge(ctx, o, c, &m)
}

func compareHashes(a, b string) int {
	of := func(s string) []byte { sum := sha256.Sum256([]byte(s)); return sum[:] }
	return cmp.Or(bytes.Compare(of(a), of(b)), strings.Compare(a, b))
}

// load returns the load averages of 1, 5 and 15 minutes.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	fields := strings.Fields(string(text))
	return strings.Join(fields[:min(3, len(fields))], " ")
}
