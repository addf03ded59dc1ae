package target

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/hone-go/hone/bench/peers/internal/corpus"
)

func init() {
	Register("parca", "Parca with persistence and its write-ahead log", "PARCA_BIN", func() Target { return &parca{wal: true} })
	Register("parca-nowal", "Parca with persistence, without the write-ahead log", "PARCA_BIN", func() Target { return &parca{} })
}

type parca struct {
	wal bool
	cc  *grpc.ClientConn
}

func (p *parca) Command(e Env) (argv, environ []string) {
	d := func(s string) string { return filepath.Join(e.Data, s) }
	cfg := fmt.Sprintf("object_storage:\n  bucket:\n    type: FILESYSTEM\n    config:\n      directory: %q\n", d("bucket"))
	os.WriteFile(d("parca.yaml"), []byte(cfg), 0o644)
	argv = []string{e.Bin, "--config-path=" + d("parca.yaml"), "--http-address=127.0.0.1:7070", "--http-read-timeout=10m", "--http-write-timeout=10m",
		"--enable-persistence", "--storage-path=" + d("storage"), "--debuginfo-cache-dir=" + d("tmp"), "--debuginfod-upstream-servers=", "--log-level=warn"}
	if p.wal {
		argv = append(argv, "--storage-enable-wal")
	}
	return argv, nil
}

func (p *parca) conn() (*grpc.ClientConn, error) {
	if p.cc == nil {
		cc, err := grpc.NewClient("127.0.0.1:7070", grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<30), grpc.MaxCallSendMsgSize(1<<30)))
		if err != nil {
			return nil, err
		}
		p.cc = cc
	}
	return p.cc, nil
}

func (p *parca) Ready(ctx context.Context) error {
	// A connection that has failed before would wait out its backoff.
	p.Close()
	cc, err := p.conn()
	if err != nil {
		return err
	}
	r, err := healthpb.NewHealthClient(cc).Check(ctx, &healthpb.HealthCheckRequest{})
	if err != nil {
		return err
	}
	if r.Status != healthpb.HealthCheckResponse_SERVING {
		return errors.New(r.Status.String())
	}
	return nil
}

func (p *parca) call(ctx context.Context, method string, m msg) (msg, error) {
	cc, err := p.conn()
	if err != nil {
		return nil, err
	}
	var resp msg
	err = cc.Invoke(ctx, method, &m, &resp, grpc.ForceCodec(rawCodec{}))
	return resp, err
}

func (p *parca) Push(ctx context.Context, pr *corpus.Profile) error {
	var labels msg
	for _, l := range [][2]string{{"__name__", corpus.Names[pr.Type]}, {"instance", pr.Instance}, {"service_name", pr.Service}} {
		labels = labels.bytes(1, msg(nil).str(1, l[0]).str(2, l[1]))
	}
	series := msg(nil).bytes(1, labels).bytes(2, msg(nil).bytes(1, pr.Gz))
	_, err := p.call(ctx, "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw", msg(nil).bytes(2, series))
	return err
}

func (p *parca) Busy(context.Context) (bool, error)                     { return false, nil }
func (p *parca) LiveBytes(context.Context, int64, int64) (int64, error) { return -1, nil }
func stamp(n int64) msg                                                 { return msg(nil).num(1, n/1e9).num(2, n%1e9) }
func (p *parca) query(ctx context.Context, m msg) (b msg, err error) {
	return p.call(ctx, "/parca.query.v1alpha1.QueryService/Query", m)
}
func (p *parca) queryRange(ctx context.Context, m msg) (b msg, err error) {
	return p.call(ctx, "/parca.query.v1alpha1.QueryService/QueryRange", m)
}

func parcaQuery(s corpus.Select) string {
	v, pt := corpus.SampleTypes[s.Type][s.ValueIndex()], corpus.PeriodTypes[s.Type]
	q := strings.Join([]string{corpus.Names[s.Type], v[0], v[1], pt[0], pt[1]}, ":")
	if s.Type == "cpu" {
		q += ":delta" // profiles that carry a duration
	}
	return q + selector(s)
}

func parcaMerge(s corpus.Select) msg {
	return msg(nil).str(1, parcaQuery(s)).bytes(2, stamp(s.From)).bytes(3, stamp(s.To))
}

const (
	parcaModeDiff, parcaModeMerge     = 1, 2
	parcaReportPprof, parcaReportFlam = 1, 5
)

// flameOpts adds what the web interface asks for: frames grouped by function
// name, nodes under one pixel of a 1536 pixel wide window left out.
func flameOpts(m msg, nodes int) msg {
	m = m.num(5, parcaReportFlam)
	if nodes != Full {
		m = m.f32(7, math.Float32bits(100.0/1536))
	}
	return m.bytes(8, msg(nil).str(1, "function_name"))
}

func (p *parca) Flame(ctx context.Context, s corpus.Select, nodes int) (Answer, error) {
	m := msg(nil).num(1, parcaModeMerge).bytes(3, parcaMerge(s))
	b, err := p.query(ctx, flameOpts(m, nodes))
	if err != nil {
		return Answer{}, err
	}
	return parcaAnswer(b)
}

func parcaAnswer(b msg) (Answer, error) {
	total, _ := get(b, 9)
	filtered, _ := get(b, 10)
	fa, ok := get(b, 11)
	if !ok {
		return Answer{}, errors.New("no flame graph in the answer")
	}
	trimmed, _ := get(fa.b, 4)
	height, _ := get(fa.b, 3)
	return Answer{Total: int64(total.v), Bytes: len(b), Info: fmt.Sprintf("height=%d trimmed=%d filtered=%d", height.v, trimmed.v, filtered.v)}, nil
}

func (p *parca) Diff(ctx context.Context, a, b corpus.Select) (Answer, error) {
	side := func(s corpus.Select) msg { return msg(nil).num(1, 1).bytes(2, parcaMerge(s)) }
	yes := int64(1)
	m := msg(nil).num(1, parcaModeDiff).bytes(2, msg(nil).bytes(1, side(a)).bytes(2, side(b)).num(3, yes))
	r, err := p.query(ctx, flameOpts(m, 0))
	if err != nil {
		return Answer{}, err
	}
	ans, err := parcaAnswer(r)
	ans.Info += fmt.Sprintf(" total=%d", ans.Total)
	ans.Total = -1 // the answer only names one side's total
	return ans, err
}

func (p *parca) Pprof(ctx context.Context, s corpus.Select) ([]byte, error) {
	b, err := p.query(ctx, msg(nil).num(1, parcaModeMerge).bytes(3, parcaMerge(s)).num(5, parcaReportPprof))
	if err != nil {
		return nil, err
	}
	pp, ok := get(b, 6)
	if !ok {
		return nil, errors.New("no profile in the answer")
	}
	return pp.b, nil
}

func (p *parca) Series(ctx context.Context, s corpus.Select, step time.Duration) ([]Point, Answer, error) {
	m := msg(nil).str(1, parcaQuery(s)).bytes(2, stamp(s.From)).bytes(3, stamp(s.To)).bytes(5, stamp(int64(step)))
	b, err := p.queryRange(ctx, m)
	if err != nil {
		return nil, Answer{}, err
	}
	var ps []Point
	var total int64
	each(b, func(f field) {
		if f.n != 1 {
			return
		}
		each(f.b, func(g field) {
			if g.n != 2 {
				return
			}
			ts, _ := get(g.b, 1)
			sec, _ := get(ts.b, 1)
			ns, _ := get(ts.b, 2)
			v, _ := get(g.b, 2)
			total += int64(v.v)
			ps = append(ps, Point{int64(sec.v)*1e9 + int64(ns.v), float64(int64(v.v))})
		})
	})
	return ps, Answer{Total: total, Bytes: len(b), Info: fmt.Sprintf("points=%d", len(ps))}, nil
}

func (p *parca) Close() error {
	if p.cc != nil {
		p.cc.Close()
		p.cc = nil
	}
	return nil
}
