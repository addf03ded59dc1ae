package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"runtime/pprof"
	"sort"
	"sync"
)

// labels works under labels of several keys, nested, with few and many values.
func labels(ctx context.Context) error {
	var workers sync.WaitGroup
	for w := range 3 {
		workers.Add(1)
		go func() {
			defer workers.Done()
			pprof.Do(ctx, pprof.Labels("worker", fmt.Sprint(w)), func(ctx context.Context) {
				for i := 0; ctx.Err() == nil; i++ {
					serveRequest(ctx, i)
				}
			})
		}()
	}
	workers.Wait()
	return nil
}

func serveRequest(ctx context.Context, i int) {
	endpoints := []string{"/search", "/checkout", "/health"}
	tenant := fmt.Sprintf("tenant-%02d", i*i%23)
	set := pprof.Labels("endpoint", endpoints[i%3], "tenant", tenant, "method", "GET")
	pprof.Do(ctx, set, func(ctx context.Context) {
		switch i % 3 {
		case 0:
			searchIndex(i)
		case 1:
			pprof.Do(ctx, pprof.Labels("phase", "pay", "endpoint", "/checkout/pay"), func(context.Context) {
				compressReceipt(i)
			})
		default:
			pprof.SetGoroutineLabels(context.Background()) // work without any label
			searchIndex(i / 2)
		}
	})
}

func searchIndex(seed int) int {
	words := make([]string, 2000)
	for i := range words {
		seed = seed*1103515245 + 12345
		words[i] = fmt.Sprintf("%x", uint32(seed))
	}
	sort.Strings(words)
	return sort.SearchStrings(words, "8")
}

func compressReceipt(n int) int {
	text := bytes.Repeat(fmt.Appendf(nil, "receipt %d, ", n), 3000)
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	io.Copy(z, bytes.NewReader(text))
	z.Close()
	return out.Len()
}
