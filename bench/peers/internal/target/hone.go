package target

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/bench/peers/internal/corpus"
)

func init() {
	Register("hone", "hone serve", "HONE_BIN", func() Target { return newHone() })
	Register("hone-before", "hone serve of an earlier version, to compare with", "HONE_BEFORE_BIN", func() Target { return newHone() })
}

type hone struct {
	base string
	hc   *http.Client
}

func newHone() *hone {
	return &hone{base: "http://127.0.0.1:4600", hc: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024, DisableCompression: true}}}
}

func (h *hone) Command(e Env) (argv, environ []string) {
	return []string{e.Bin, "serve", "-listen", "127.0.0.1:4600", "-data", filepath.Join(e.Data, "store")}, []string{"HOME=" + e.Data}
}

func (h *hone) Ready(ctx context.Context) error {
	_, err := h.do(ctx, "GET", "/readyz", nil)
	return err
}

// do returns the body of an answer. Times are the answer's until its last byte.
func (h *hone) do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, h.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := h.hc.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		return nil, fmt.Errorf("%s %s: %s: %.300s", method, path, resp.Status, b)
	}
	return b, nil
}

func (h *hone) Push(ctx context.Context, p *corpus.Profile) error {
	v := url.Values{"service": {p.Service}, "instance": {p.Instance}, "kind": {p.Type}, "time": {strconv.FormatInt(p.Nanos, 10)}}
	_, err := h.do(ctx, "POST", "/api/v1/profiles?"+v.Encode(), p.Gz)
	return err
}

// Busy waits until all profiles are packed: those of an hour that isn't over are
// a minute after the last one came.
func (h *hone) Busy(ctx context.Context) (bool, error) {
	n, err := h.storeStatus(ctx, "unpacked")
	return n > 0, err
}

// LiveBytes is what the store says its values and their index take.
func (h *hone) LiveBytes(ctx context.Context, _, _ int64) (int64, error) {
	return h.storeStatus(ctx, "liveBytes")
}

// storeStatus returns a number that the store tells of itself.
func (h *hone) storeStatus(ctx context.Context, name string) (int64, error) {
	b, err := h.do(ctx, "GET", "/api/v1/status", nil)
	if err != nil {
		return -1, err
	}
	var a struct {
		Store map[string]any `json:"store"`
	}
	if err := json.Unmarshal(b, &a); err != nil {
		return -1, err
	}
	n, ok := a.Store[name].(float64)
	if !ok {
		return -1, fmt.Errorf("the status has no number %s", name)
	}
	return int64(n), nil
}

// query is the selection. Times are in milliseconds and its end is not part of
// it; those of the corpus are whole milliseconds, but for the end.
func (h *hone) query(s corpus.Select, column bool) url.Values {
	m := []string{}
	if s.Service != "" {
		m = append(m, fmt.Sprintf("service=%q", s.Service))
	}
	if s.Instance != "" {
		m = append(m, fmt.Sprintf("instance=%q", s.Instance))
	}
	v := url.Values{
		"q":    {s.Type + "{" + strings.Join(m, ",") + "}"},
		"from": {strconv.FormatInt((s.From+999_999)/1e6, 10)}, "to": {strconv.FormatInt(s.To/1e6+1, 10)},
		"per": {"sum"}, // the other stores add up values of a moment, too, such as the heap in use
	}
	if column {
		v.Set("sample_type", s.Value)
	}
	return v
}

func (h *hone) Flame(ctx context.Context, s corpus.Select, nodes int) (Answer, error) {
	return h.flame(ctx, url.Values{"profile": {"sel:" + h.query(s, true).Encode()}}, nodes)
}

func (h *hone) flame(ctx context.Context, v url.Values, nodes int) (Answer, error) {
	if nodes == Full {
		return h.folded(ctx, v)
	}
	b, err := h.do(ctx, "GET", "/api/v1/report/flame?"+v.Encode(), nil)
	if err != nil {
		return Answer{}, err
	}
	var a struct {
		Report struct {
			Total struct {
				Value int64 `json:"value"`
			} `json:"total"`
			BaseTotal int64 `json:"baseTotal"`
			Nodes     struct {
				ID json.RawMessage `json:"id"`
			} `json:"nodes"`
		} `json:"report"`
	}
	if err := json.Unmarshal(b, &a); err != nil {
		return Answer{}, err
	}
	return Answer{
		Total: a.Report.Total.Value + a.Report.BaseTotal, Bytes: len(b),
		Info: fmt.Sprintf("nodes=%d", bytes.Count(a.Report.Nodes.ID, []byte(","))+1),
	}, nil
}

// folded asks for all stacks: flame graphs are of what can be seen.
func (h *hone) folded(ctx context.Context, v url.Values) (Answer, error) {
	v.Set("format", "folded")
	b, err := h.do(ctx, "GET", "/api/v1/report/flame?"+v.Encode(), nil)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Bytes: len(b)}
	stacks := 0
	for line := range bytes.Lines(b) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		n, err := strconv.ParseInt(string(line[bytes.LastIndexByte(line, ' ')+1:]), 10, 64)
		if err != nil {
			return Answer{}, err
		}
		a.Total += n
		stacks++
	}
	a.Info = fmt.Sprintf("stacks=%d", stacks)
	return a, nil
}

func (h *hone) Diff(ctx context.Context, a, b corpus.Select) (Answer, error) {
	return h.flame(ctx, url.Values{"base": {"sel:" + h.query(a, true).Encode()}, "profile": {"sel:" + h.query(b, true).Encode()}}, 0)
}

func (h *hone) Pprof(ctx context.Context, s corpus.Select) ([]byte, error) {
	return h.do(ctx, "GET", "/api/v1/pprof?"+h.query(s, false).Encode(), nil)
}

func (h *hone) Series(ctx context.Context, s corpus.Select, step time.Duration) ([]Point, Answer, error) {
	v := h.query(s, true)
	v.Set("step", strconv.FormatInt(step.Milliseconds(), 10))
	b, err := h.do(ctx, "GET", "/api/v1/series?"+v.Encode(), nil)
	if err != nil {
		return nil, Answer{}, err
	}
	var a struct {
		Series []struct {
			Time  []int64 `json:"time"`
			Value []int64 `json:"value"`
		} `json:"series"`
	}
	if err := json.Unmarshal(b, &a); err != nil {
		return nil, Answer{}, err
	}
	var ps []Point
	var total int64
	for _, x := range a.Series {
		for i := range x.Time {
			total += x.Value[i]
			ps = append(ps, Point{x.Time[i] * 1e6, float64(x.Value[i])})
		}
	}
	return ps, Answer{Total: total, Bytes: len(b), Info: fmt.Sprintf("points=%d", len(ps))}, nil
}

func (h *hone) Close() error {
	h.hc.CloseIdleConnections()
	return nil
}
