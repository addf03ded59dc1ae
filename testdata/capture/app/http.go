package main

import (
	"compress/gzip"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"strings"
	"sync"
	"time"
)

type inventory struct {
	mu    sync.Mutex
	stock map[string]int
}

func (inv *inventory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	inv.mu.Lock()
	inv.stock[r.URL.Query().Get("sku")]++
	text, err := json.Marshal(inv.stock)
	inv.mu.Unlock()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	z := gzip.NewWriter(w)
	defer z.Close()
	z.Write(text)
}

func hashHandler(w http.ResponseWriter, r *http.Request) {
	h := sha1.New()
	io.Copy(h, strings.NewReader(strings.Repeat(r.URL.Path, 500)))
	fmt.Fprintln(w, hex.EncodeToString(h.Sum(nil)))
}

// httpServer serves requests of its own clients, and gets its own profiles as
// a collector would.
func httpServer(ctx context.Context) error {
	http.Handle("/inventory", &inventory{stock: map[string]int{}})
	http.HandleFunc("/hash/", hashHandler)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(listener, nil)
	base := "http://" + listener.Addr().String() + "/"
	load, stop := context.WithCancel(context.Background())
	defer stop()
	for c := range 4 {
		go client(load, base, c)
	}
	var getting sync.WaitGroup
	errs := make(chan error, len(fetches))
	for _, f := range fetches {
		getting.Go(func() { errs <- download(base+f[1], f[0]) })
	}
	getting.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	<-ctx.Done()
	return nil
}

func client(ctx context.Context, base string, id int) {
	for i := 0; ctx.Err() == nil; i++ {
		path := fmt.Sprintf("hash/%d", i)
		if i%2 == 0 {
			path = fmt.Sprintf("inventory?sku=%d-%d", id, i%300)
		}
		resp, err := http.Get(base + path)
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func download(url, file string) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	_, err = io.Copy(f, resp.Body)
	return err
}
