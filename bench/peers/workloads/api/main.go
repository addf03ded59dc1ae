// Command api is a JSON/HTML web service under load from a child process.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"math/rand"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hone-go/hone/bench/peers/workloads/kit"
)

type item struct {
	SKU   string   `json:"sku" xml:"sku,attr"`
	Qty   int      `json:"qty" xml:"qty"`
	Price float64  `json:"price" xml:"price"`
	Tags  []string `json:"tags,omitempty" xml:"tag"`
}

type order struct {
	ID       int               `json:"id" xml:"id,attr"`
	Customer string            `json:"customer" xml:"customer"`
	Email    string            `json:"email" xml:"email"`
	Placed   time.Time         `json:"placed" xml:"placed"`
	Items    []item            `json:"items" xml:"items>item"`
	Meta     map[string]string `json:"meta" xml:"-"`
	Note     *string           `json:"note,omitempty" xml:"note,omitempty"`
}

type repo struct {
	mu     sync.RWMutex
	orders map[int]*order
	byCust map[string][]int
	next   int
	cache  map[string][]byte
}

func (r *repo) put(o *order) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	o.ID = r.next
	r.orders[o.ID] = o
	r.byCust[o.Customer] = append(r.byCust[o.Customer], o.ID)
	if len(r.orders) > 6000 {
		for id, old := range r.orders {
			delete(r.orders, id)
			delete(r.byCust, old.Customer)
			break
		}
	}
	return o.ID
}

func (r *repo) get(id int) (*order, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	o, ok := r.orders[id]
	if !ok {
		return nil, fmt.Errorf("order %d: %w", id, os.ErrNotExist)
	}
	return o, nil
}

func (r *repo) list(limit int, keep func(*order) bool) []*order {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var res []*order
	for _, o := range r.orders {
		if keep(o) {
			res = append(res, o)
			if len(res) >= limit {
				break
			}
		}
	}
	sort.Slice(res, func(i, j int) bool { return res[i].Placed.Before(res[j].Placed) })
	return res
}

type server struct {
	repo *repo
	tpl  *template.Template
	mail *regexp.Regexp
	word *regexp.Regexp
	log  *slog.Logger
	key  []byte
}

const page = `<!doctype html><title>{{.Title}}</title><table>{{range $i, $o := .Orders}}
<tr class="{{if even $i}}even{{else}}odd{{end}}"><td><a href="/orders/{{$o.ID}}?q={{$.Query}}">{{$o.Customer}}</a>
<td>{{$o.Placed.Format "2006-01-02"}}<td>{{range $o.Items}}<b onclick="pick({{.SKU}})">{{.SKU}}</b> {{printf "%.2f" .Price}}, {{end}}
{{with $o.Note}}<p>{{.}}</p>{{end}}</tr>{{end}}</table>`

func (s *server) handler(name string, fn func(w http.ResponseWriter, r *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		pprof.Do(r.Context(), pprof.Labels("handler", name), func(ctx context.Context) {
			err := s.authorized(fn)(w, r.WithContext(ctx))
			switch {
			case errors.Is(err, os.ErrNotExist):
				http.Error(w, err.Error(), http.StatusNotFound)
			case err != nil:
				http.Error(w, err.Error(), http.StatusBadRequest)
			}
			s.log.LogAttrs(ctx, slog.LevelInfo, "request", slog.String("handler", name), slog.String("path", r.URL.Path),
				slog.Duration("took", time.Since(start)), slog.Any("err", err))
		})
	})
}

func (s *server) authorized(next func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		m := hmac.New(sha256.New, s.key)
		io.WriteString(m, r.URL.Path)
		w.Header().Set("X-Sig", hex.EncodeToString(m.Sum(nil)))
		return next(w, r)
	}
}

func writeJSON(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(v)
}

func (s *server) create(w http.ResponseWriter, r *http.Request) error {
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		zr, err := gzip.NewReader(r.Body)
		if err != nil {
			return err
		}
		defer zr.Close()
		body = zr
	}
	var o order
	if err := json.NewDecoder(body).Decode(&o); err != nil {
		return err
	}
	if !s.mail.MatchString(o.Email) {
		return fmt.Errorf("bad e-mail %q", o.Email)
	}
	return writeJSON(w, map[string]int{"id": s.repo.put(&o)})
}

func (s *server) get(w http.ResponseWriter, r *http.Request) error {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		return err
	}
	o, err := s.repo.get(id)
	if err != nil {
		return err
	}
	if strings.Contains(r.Header.Get("Accept"), "xml") {
		return xml.NewEncoder(w).Encode(o)
	}
	return writeJSON(w, o)
}

func (s *server) list(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query().Get("q")
	return writeJSON(w, s.repo.list(80, func(o *order) bool { return strings.HasPrefix(o.Customer, q) }))
}

func (s *server) search(w http.ResponseWriter, r *http.Request) error {
	re, err := regexp.Compile("(?i)" + r.URL.Query().Get("re"))
	if err != nil {
		return err
	}
	return writeJSON(w, s.repo.list(40, func(o *order) bool {
		if o.Note != nil && re.MatchString(*o.Note) {
			return true
		}
		return re.MatchString(o.Customer)
	}))
}

func (s *server) render(w http.ResponseWriter, r *http.Request) error {
	os := s.repo.list(30, func(*order) bool { return true })
	return s.tpl.Execute(w, map[string]any{"Title": "orders <all>", "Orders": os, "Query": r.URL.Query().Get("q")})
}

func (s *server) report(w http.ResponseWriter, r *http.Request) error {
	var zw io.Writer = w
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		g := gzip.NewWriter(w)
		defer g.Close()
		zw = g
	}
	cw := csv.NewWriter(zw)
	for _, o := range s.repo.list(200, func(*order) bool { return true }) {
		var sum float64
		for _, it := range o.Items {
			sum += it.Price * float64(it.Qty)
		}
		if err := cw.Write([]string{strconv.Itoa(o.ID), o.Customer, o.Placed.Format(time.RFC3339), strconv.FormatFloat(sum, 'f', 2, 64)}); err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}

func (s *server) stats(w http.ResponseWriter, r *http.Request) error {
	words := map[string]int{}
	for _, o := range s.repo.list(300, func(*order) bool { return true }) {
		if o.Note != nil {
			for _, m := range s.word.FindAllString(strings.ToLower(*o.Note), -1) {
				words[m]++
			}
		}
		for k, v := range o.Meta {
			words[k+"="+v]++
		}
	}
	return writeJSON(w, words)
}

func (s *server) patch(w http.ResponseWriter, r *http.Request) error {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		return err
	}
	o, err := s.repo.get(id)
	if err != nil {
		return err
	}
	var any map[string]any
	b, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, &any); err != nil {
		return err
	}
	cp := *o
	cp.Meta = map[string]string{}
	for k, v := range any {
		cp.Meta[k] = fmt.Sprint(v)
	}
	s.repo.put(&cp)
	return writeJSON(w, &cp)
}

func serve(ctx context.Context, ln net.Listener, wg *sync.WaitGroup) {
	s := &server{
		repo: &repo{orders: map[int]*order{}, byCust: map[string][]int{}, cache: map[string][]byte{}},
		tpl:  template.Must(template.New("page").Funcs(template.FuncMap{"even": func(i int) bool { return i%2 == 0 }}).Parse(page)),
		mail: regexp.MustCompile(`^[\w.+-]+@[\w-]+(\.[\w-]+)+$`),
		word: regexp.MustCompile(`[a-z]{3,}`),
		log:  slog.New(slog.NewJSONHandler(io.Discard, nil)),
		key:  []byte("k"),
	}
	mux := http.NewServeMux()
	mux.Handle("POST /orders", s.handler("create", s.create))
	mux.Handle("GET /orders/{id}", s.handler("get", s.get))
	mux.Handle("PATCH /orders/{id}", s.handler("patch", s.patch))
	mux.Handle("GET /orders", s.handler("list", s.list))
	mux.Handle("GET /search", s.handler("search", s.search))
	mux.Handle("GET /page", s.handler("render", s.render))
	mux.Handle("GET /report", s.handler("report", s.report))
	mux.Handle("GET /stats", s.handler("stats", s.stats))
	srv := &http.Server{Handler: mux, ReadTimeout: 10 * time.Second}
	wg.Add(1)
	go func() { defer wg.Done(); srv.Serve(ln) }()
	go func() { <-ctx.Done(); srv.Close() }()
}

func client(base string) {
	var wg sync.WaitGroup
	for c := 0; c < 12; c++ {
		wg.Add(1)
		go func(seed int64) {
			defer wg.Done()
			rng := rand.New(rand.NewSource(seed))
			hc := &http.Client{Timeout: 5 * time.Second}
			words := strings.Fields("late fragile gift urgent wholesale return exchange damaged blue green heavy express pallet north south")
			fails := 0
			for fails < 50 {
				var req *http.Request
				switch k := rng.Intn(100); {
				case k < 30:
					note := words[rng.Intn(len(words))] + " " + words[rng.Intn(len(words))]
					o := order{Customer: fmt.Sprintf("cust-%03d", rng.Intn(400)), Email: fmt.Sprintf("a.b+%d@shop-%d.example", rng.Intn(9), rng.Intn(99)),
						Placed: time.Unix(1.7e9+rng.Int63n(1e7), 0), Note: &note, Meta: map[string]string{"src": words[rng.Intn(len(words))]}}
					for i := rng.Intn(12); i >= 0; i-- {
						o.Items = append(o.Items, item{SKU: fmt.Sprintf("S%05d", rng.Intn(1e5)), Qty: 1 + rng.Intn(9), Price: rng.Float64() * 100, Tags: words[:rng.Intn(4)]})
					}
					b, _ := json.Marshal(o)
					if rng.Intn(2) == 0 {
						var z bytes.Buffer
						g := gzip.NewWriter(&z)
						g.Write(b)
						g.Close()
						req, _ = http.NewRequest("POST", base+"/orders", &z)
						req.Header.Set("Content-Encoding", "gzip")
					} else {
						req, _ = http.NewRequest("POST", base+"/orders", bytes.NewReader(b))
					}
				case k < 55:
					req, _ = http.NewRequest("GET", base+"/orders/"+strconv.Itoa(1+rng.Intn(4000)), nil)
					if rng.Intn(3) == 0 {
						req.Header.Set("Accept", "text/xml")
					}
				case k < 63:
					req, _ = http.NewRequest("PATCH", base+"/orders/"+strconv.Itoa(1+rng.Intn(4000)), strings.NewReader(`{"a":1.5,"b":[1,2,{"c":null}],"d":"x\u00e9y"}`))
				case k < 75:
					req, _ = http.NewRequest("GET", base+"/orders?q=cust-"+strconv.Itoa(rng.Intn(4)), nil)
				case k < 82:
					req, _ = http.NewRequest("GET", base+"/search?re="+url.QueryEscape(words[rng.Intn(len(words))]+`.*[aeiou]+t$`), nil)
				case k < 92:
					req, _ = http.NewRequest("GET", base+"/page?q="+url.QueryEscape("a&b c"), nil)
				case k < 96:
					req, _ = http.NewRequest("GET", base+"/report", nil)
				default:
					req, _ = http.NewRequest("GET", base+"/stats", nil)
				}
				resp, err := hc.Do(req)
				if err != nil {
					fails++
					time.Sleep(50 * time.Millisecond)
					continue
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		}(int64(c))
	}
	wg.Wait()
}

func main() {
	if base := os.Getenv("PEERBENCH_CLIENT"); base != "" {
		client(base)
		return
	}
	kit.Main("api", func(ctx context.Context, wg *sync.WaitGroup) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		serve(ctx, ln, wg)
		exe, _ := os.Executable()
		cmd := exec.CommandContext(ctx, exe)
		cmd.Env = append(os.Environ(), "PEERBENCH_CLIENT=http://"+ln.Addr().String())
		if err := cmd.Start(); err != nil {
			panic(err)
		}
	})
}
