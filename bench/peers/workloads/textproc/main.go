// Command textproc is a log and document pipeline: regexp, templates,
// scanners, CSV, XML, JSON streams, markup and word statistics.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	htmpl "html/template"
	"io"
	"math/rand"
	"net/mail"
	"net/url"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"text/template"
	"time"
	"unicode"

	"github.com/hone-go/hone/bench/peers/workloads/kit"
)

type record struct {
	When   time.Time
	Host   string
	Level  string
	Fields map[string]string
	Msg    string
}

type stage struct {
	name string
	in   chan []*record
	fn   func([]*record)
}

var lineRE = regexp.MustCompile(`^(\S+) (\S+) \[(DEBUG|INFO|WARN|ERROR)\] (.*?)(?: \{(.*)\})?$`)
var kvRE = regexp.MustCompile(`(\w+)=("[^"]*"|\S+)`)
var ipRE = regexp.MustCompile(`\b(?:\d{1,3}\.){3}\d{1,3}\b`)
var uuidRE = regexp.MustCompile(`[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}`)

func produce(rng *rand.Rand, w io.Writer, n int) {
	levels := []string{"DEBUG", "INFO", "WARN", "ERROR"}
	verbs := strings.Fields("opened closed rejected retried flushed compacted scheduled evicted merged rotated")
	nouns := strings.Fields("connection segment request shard session lease snapshot block cursor ticket")
	t := time.Unix(1.7e9, 0)
	for i := 0; i < n; i++ {
		t = t.Add(time.Duration(rng.Intn(1e9)))
		fmt.Fprintf(w, "%s host-%02d [%s] %s %s %d.%d.%d.%d {id=%08x-%04x-%04x-%04x-%012x took=%q bytes=%d}\n", t.Format(time.RFC3339Nano), rng.Intn(40),
			levels[rng.Intn(4)], nouns[rng.Intn(10)], verbs[rng.Intn(10)], rng.Intn(256), rng.Intn(256), rng.Intn(256), rng.Intn(256),
			rng.Uint32(), rng.Intn(65536), rng.Intn(65536), rng.Intn(65536), rng.Int63n(1<<47), time.Duration(rng.Intn(1e9)).String(), rng.Intn(1e6))
	}
}

func parse(b []byte) []*record {
	var res []*record
	sc := bufio.NewScanner(bytes.NewReader(b))
	for sc.Scan() {
		m := lineRE.FindStringSubmatch(sc.Text())
		if m == nil {
			continue
		}
		r := &record{Host: m[2], Level: m[3], Msg: m[4], Fields: map[string]string{}}
		r.When, _ = time.Parse(time.RFC3339Nano, m[1])
		for _, kv := range kvRE.FindAllStringSubmatch(m[5], -1) {
			v := kv[2]
			if u, err := strconv.Unquote(v); err == nil {
				v = u
			}
			r.Fields[kv[1]] = v
		}
		res = append(res, r)
	}
	return res
}

func redact(rs []*record) {
	for _, r := range rs {
		r.Msg = ipRE.ReplaceAllStringFunc(r.Msg, func(s string) string {
			h := fnv.New32a()
			io.WriteString(h, s)
			return "ip-" + strconv.FormatUint(uint64(h.Sum32()), 36)
		})
		if uuidRE.MatchString(r.Fields["id"]) {
			r.Fields["id"] = strings.ToUpper(r.Fields["id"][:8])
		}
	}
}

var textT = template.Must(template.New("t").Funcs(template.FuncMap{"up": strings.ToUpper, "q": strconv.Quote}).Parse(
	`{{define "row"}}{{.When.Format "15:04:05"}} {{up .Level}} {{range $k, $v := .Fields}}{{$k}}={{q $v}} {{end}}{{.Msg | printf "%-40s"}}
{{end}}{{range .}}{{if ne .Level "DEBUG"}}{{template "row" .}}{{else if gt (len .Msg) 20}}{{slice .Msg 0 20}}{{end}}{{end}}`))
var htmlT = htmpl.Must(htmpl.New("h").Parse(`<ul>{{range .}}<li title="{{.Host}}" style="color: {{.Level}}"><a href="/h?x={{.Msg}}">{{.Msg}}</a><script>var f = {{.Fields}};</script>{{end}}</ul>`))

func renderText(rs []*record) { var b bytes.Buffer; textT.Execute(&b, rs) }
func renderHTML(rs []*record) { htmlT.Execute(io.Discard, rs) }

func toCSV(rs []*record) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, r := range rs {
		w.Write([]string{r.When.String(), r.Host, r.Level, r.Msg})
	}
	w.Flush()
	rd := csv.NewReader(&b)
	rd.ReuseRecord = true
	for {
		if _, err := rd.Read(); err != nil {
			break
		}
	}
}

type xrec struct {
	XMLName xml.Name `xml:"rec"`
	Host    string   `xml:"host,attr"`
	When    string   `xml:"when"`
	Msg     string   `xml:"body>msg"`
}

func toXML(rs []*record) {
	var b bytes.Buffer
	enc := xml.NewEncoder(&b)
	for _, r := range rs[:len(rs)/4] {
		enc.Encode(xrec{Host: r.Host, When: r.When.String(), Msg: r.Msg})
	}
	enc.Flush()
	dec := xml.NewDecoder(&b)
	for {
		var x xrec
		if dec.Decode(&x) != nil {
			break
		}
	}
}

func toJSON(rs []*record) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, r := range rs {
		enc.Encode(r)
	}
	dec := json.NewDecoder(&b)
	for {
		var v map[string]any
		if dec.Decode(&v) != nil {
			break
		}
	}
}

var (
	statMu sync.Mutex
	stats  = map[string]map[string]int{}
)

func count(rs []*record) {
	for _, r := range rs {
		ws := strings.FieldsFunc(r.Msg, func(c rune) bool { return !unicode.IsLetter(c) })
		statMu.Lock()
		m := stats[r.Host]
		if m == nil {
			m = map[string]int{}
			stats[r.Host] = m
		}
		for _, w := range ws {
			m[strings.ToLower(w)]++
		}
		statMu.Unlock()
	}
	statMu.Lock()
	type kv struct {
		k string
		n int
	}
	var all []kv
	for h, m := range stats {
		for k, n := range m {
			all = append(all, kv{h + "/" + k, n})
		}
	}
	statMu.Unlock()
	sort.Slice(all, func(i, j int) bool { return all[i].n > all[j].n || all[i].n == all[j].n && all[i].k < all[j].k })
	tw := tabwriter.NewWriter(io.Discard, 4, 8, 1, ' ', tabwriter.AlignRight)
	for i, e := range all {
		if i == 60 {
			break
		}
		fmt.Fprintf(tw, "%s\t%d\t\n", e.k, e.n)
	}
	tw.Flush()
}

func addresses(rs []*record) {
	for i, r := range rs {
		if i%4 == 0 {
			mail.ParseAddress(fmt.Sprintf("%q <%s@%s.example>", r.Msg, r.Level, r.Host))
			u, err := url.Parse("https://u:p@" + r.Host + ":8080/a/b%20c?x=" + url.QueryEscape(r.Msg) + "#f")
			if err == nil {
				_ = u.Query().Encode()
			}
		}
	}
}

func main() {
	kit.Main("textproc", func(ctx context.Context, wg *sync.WaitGroup) {
		stages := []*stage{{name: "redact", fn: redact}, {name: "text", fn: renderText}, {name: "html", fn: renderHTML}, {name: "csv", fn: toCSV},
			{name: "xml", fn: toXML}, {name: "json", fn: toJSON}, {name: "count", fn: count}, {name: "addr", fn: addresses}}
		for _, s := range stages {
			s.in = make(chan []*record, 2)
			for k := 0; k < 2; k++ {
				wg.Add(1)
				go func(s *stage) {
					defer wg.Done()
					for {
						select {
						case rs := <-s.in:
							s.fn(rs)
						case <-ctx.Done():
							return
						}
					}
				}(s)
			}
		}
		for p := 0; p < 2; p++ {
			wg.Add(1)
			go func(seed int64) {
				defer wg.Done()
				rng := rand.New(rand.NewSource(seed))
				for ctx.Err() == nil {
					var b bytes.Buffer
					produce(rng, &b, 400)
					rs := parse(b.Bytes())
					for _, s := range stages {
						cp := make([]*record, len(rs))
						for i, r := range rs {
							c := *r
							c.Fields = map[string]string{}
							for k, v := range r.Fields {
								c.Fields[k] = v
							}
							cp[i] = &c
						}
						select {
						case s.in <- cp:
						case <-ctx.Done():
							return
						}
					}
				}
			}(int64(p))
		}
	})
}
