package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/grafana/pyroscope-go"
	"github.com/hone-go/hone/agent"
)

// serve is the server that is measured, as a process of its own: a shop that
// takes orders as JSON, keeps the last of them behind locks and answers with
// the customer's history. POST /agent?is=VARIANT ends the agent that is running
// and starts another. The server ends with its standard input.
func serve(sink string) error {
	var agents switcher
	defer agents.end()
	agents.sink = sink
	s := newShop()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", s.order)
	mux.HandleFunc("GET /cpu", func(w http.ResponseWriter, _ *http.Request) {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, u.Utime.Nano()+u.Stime.Nano())
	})
	mux.HandleFunc("POST /agent", func(w http.ResponseWriter, r *http.Request) {
		if err := agents.change(r.FormValue("is")); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(ln.Addr())
	// With timeouts, as a server should have. They are timers: without any, the
	// first one that an agent sets would make the scheduler's waiting dearer.
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	go func() { _ = server.Serve(ln) }()
	_, err = os.Stdin.Read(make([]byte, 1))
	_ = err // the end of input is the end
	return nil
}

// A switcher runs one agent at a time, each at its defaults. It is used by one
// request after the other.
type switcher struct {
	sink string
	stop func() error // ends what is running; nil if nothing is
}

func (s *switcher) change(to string) error {
	if err := s.end(); err != nil {
		return err
	}
	switch to {
	case "none":
		return nil
	case "hone":
		a, err := agent.Start(agent.Config{Server: s.sink, Service: "shop", SpoolDir: os.TempDir() + "/hone-bench-agent-spool"})
		if err != nil {
			return err
		}
		s.stop = func() error {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			return a.Stop(ctx)
		}
		return nil
	case "pyroscope":
		p, err := pyroscope.Start(pyroscope.Config{ApplicationName: "shop", ServerAddress: s.sink})
		if err != nil {
			return err
		}
		s.stop = p.Stop
		return nil
	}
	return fmt.Errorf("unknown variant %q", to)
}

func (s *switcher) end() error {
	stop := s.stop
	s.stop = nil
	if stop == nil {
		return nil
	}
	return stop()
}

type item struct {
	SKU   string   `json:"sku"`
	Count int      `json:"count"`
	Cents int      `json:"cents"`
	Tags  []string `json:"tags"`
}

type order struct {
	Customer int    `json:"customer"`
	Note     string `json:"note"`
	Items    []item `json:"items"`
}

type receipt struct {
	ID     string         `json:"id"`
	Cents  int            `json:"cents"`
	ByTag  map[string]int `json:"by_tag"`
	Latest []order        `json:"latest"`
}

// shop keeps the last orders of customers, in shards with a lock each.
type shop struct {
	shards [8]struct {
		sync.Mutex
		latest map[int][]order
	}
}

// With more customers a window would have few garbage collections, and one
// more or less would be all the difference that is measured.
const (
	customers = 4_000
	kept      = 4 // orders of a customer
)

func newShop() *shop {
	s := &shop{}
	for i := range s.shards {
		s.shards[i].latest = make(map[int][]order)
	}
	for c := range customers { // a heap of a server that has been running
		for n := range kept {
			s.add(makeOrder(c, n))
		}
	}
	// Collections would come at the same moments in all processes, and the
	// least extra would always or never be the one that adds another to a window.
	for range rand.N(100) {
		s.add(makeOrder(rand.N(customers), 0))
		garbage = make([]byte, 256<<10)
	}
	return s
}

var garbage []byte

func makeOrder(customer, n int) order {
	o := order{Customer: customer, Note: "order " + strconv.Itoa(n) + ": leave it at the door"}
	for i := range 6 {
		o.Items = append(o.Items, item{SKU: "sku-" + strconv.Itoa((customer*7+n+i)%1000), Count: 1 + i, Cents: 199 * (i + 1), Tags: []string{"tag" + strconv.Itoa(i), "all"}})
	}
	return o
}

func (s *shop) add(o order) []order {
	shard := &s.shards[o.Customer%len(s.shards)]
	shard.Lock()
	defer shard.Unlock()
	latest := append(shard.latest[o.Customer], o)
	latest = slices.Clone(latest[max(0, len(latest)-kept):])
	shard.latest[o.Customer] = latest
	return latest
}

func (s *shop) order(w http.ResponseWriter, r *http.Request) {
	var o order
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := receipt{ByTag: make(map[string]int)}
	hash := sha256.New()
	for _, i := range o.Items {
		answer.Cents += i.Count * i.Cents
		for _, t := range i.Tags {
			answer.ByTag[t] += i.Count
		}
		fmt.Fprintf(hash, "%s %d %d\n", i.SKU, i.Count, i.Cents)
	}
	answer.ID = fmt.Sprintf("%x", hash.Sum(nil)[:8])
	answer.Latest = s.add(o)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}
