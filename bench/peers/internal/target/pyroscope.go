package target

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/hone-go/hone/bench/peers/internal/corpus"
)

func init() {
	Register("pyroscope", "Grafana Pyroscope, single binary, v2 storage on the file system", "PYROSCOPE_BIN", func() Target { return newPyroscope("v2") })
	Register("pyroscope-v1", "Grafana Pyroscope, single binary, v1 storage", "PYROSCOPE_BIN", func() Target { return newPyroscope("v1") })
}

type pyroscope struct {
	storage string
	base    string
	hc      *http.Client
	cc      *grpc.ClientConn

	lastIDs  string
	lastSeen time.Time
}

func newPyroscope(storage string) Target {
	return &pyroscope{storage: storage, base: "http://127.0.0.1:4040", hc: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024, DisableCompression: true}}}
}

func (p *pyroscope) Command(e Env) (argv, environ []string) {
	d := func(s string) string { return filepath.Join(e.Data, s) }
	argv = []string{e.Bin, "-target=all", "-architecture.storage=" + p.storage,
		"-server.http-listen-address=127.0.0.1", "-server.http-listen-port=4040",
		"-server.grpc-listen-address=127.0.0.1", "-server.grpc-listen-port=9095",
		// By default 100 pushes at most wait for the flush of their segment at a
		// time (a limit of streams on one connection of the server to itself).
		"-server.grpc-max-concurrent-streams=100000",
		"-server.http-read-timeout=10m", "-server.http-write-timeout=10m",
		"-segment-writer.lifecycler.addr=127.0.0.1", "-distributor.ring.instance-addr=127.0.0.1",
		"-query-frontend.instance-addr=127.0.0.1", "-query-scheduler.ring.instance-addr=127.0.0.1",
		"-memberlist.bind-addr=127.0.0.1", "-memberlist.advertise-addr=127.0.0.1",
		"-storage.backend=filesystem", "-storage.filesystem.dir=" + d("shared"),
		// Nothing of the corpus may be refused.
		"-validation.reject-older-than=0", "-validation.reject-newer-than=0", "-validation.max-profile-size-bytes=0",
		"-validation.max-profile-stacktrace-samples=0", "-validation.max-profile-stacktrace-depth=0",
		"-distributor.ingestion-rate-limit-mb=100000", "-distributor.ingestion-burst-size-mb=100000",
		"-querier.max-query-length=0", "-querier.max-query-lookback=0",
		"-self-profiling.disable-push=true", "-usage-stats.enabled=false", "-tracing.enabled=false", "-config.show_banner=false", "-log.level=warn"}
	if p.storage == "v1" {
		argv = append(argv, "-ingester.lifecycler.addr=127.0.0.1", "-store-gateway.sharding-ring.instance-addr=127.0.0.1", "-compactor.ring.instance-addr=127.0.0.1",
			"-write-path=ingester", "-enable-query-backend=false", "-pyroscopedb.data-path="+d("db"), "-compactor.data-dir="+d("compactor"),
			"-blocks-storage.bucket-store.sync-dir="+d("sync"), "-ingester.min-ready-duration=1s", "-ingester.max-global-series-per-tenant=0",
			"-pyroscopedb.retention-policy-disable=true")
	} else {
		argv = append(argv, "-metastore.data-dir="+d("metastore/data"), "-metastore.raft.dir="+d("metastore/raft"), "-metastore.raft.snapshots-dir="+d("metastore/raft"),
			"-compaction-worker.temp-dir="+d("tmp"), "-query-backend.client-timeout=10m",
			"-metastore.min-ready-duration=1s", "-segment-writer.min-ready-duration=1s")
	}
	return argv, nil
}

func (p *pyroscope) Ready(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, "GET", p.base+"/ready", nil)
	if err != nil {
		return err
	}
	resp, err := p.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != 200 {
		return fmt.Errorf("%s: %s", resp.Status, bytes.TrimSpace(b))
	}
	return nil
}

func (p *pyroscope) call(ctx context.Context, method string, m msg) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, "POST", p.base+method, bytes.NewReader(m))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/proto")
	resp, err := p.hc.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != 200 {
		return nil, fmt.Errorf("%s: %s: %s", method, resp.Status, bytes.TrimSpace(b[:min(len(b), 300)]))
	}
	return b, nil
}

func (p *pyroscope) Push(ctx context.Context, pr *corpus.Profile) error {
	var series msg
	for _, l := range [][2]string{{"__name__", corpus.Names[pr.Type]}, {"instance", pr.Instance}, {"service_name", pr.Service}} {
		series = series.bytes(1, msg(nil).str(1, l[0]).str(2, l[1]))
	}
	series = series.bytes(2, msg(nil).bytes(1, pr.Gz))
	_, err := p.call(ctx, "/push.v1.PusherService/Push", msg(nil).bytes(1, series))
	return err
}

func (p *pyroscope) blocks(ctx context.Context, from, to int64) (ids []string, size int64, err error) {
	if p.cc == nil {
		if p.cc, err = grpc.NewClient("127.0.0.1:9095", grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.ForceCodec(rawCodec{}), grpc.MaxCallRecvMsgSize(1<<30))); err != nil {
			return nil, 0, err
		}
	}
	req := msg(nil).str(1, "anonymous").num(2, from/1e6).num(3, to/1e6).str(4, "{}")
	var resp msg
	if err := p.cc.Invoke(ctx, "/metastore.v1.MetadataQueryService/QueryMetadata", &req, &resp); err != nil {
		return nil, 0, err
	}
	err = each(resp, func(f field) {
		if f.n == 1 {
			id, _ := get(f.b, 2)
			lv, _ := get(f.b, 5)
			sz, _ := get(f.b, 9)
			ids = append(ids, fmt.Sprintf("L%d/%s", lv.v, id.b))
			size += int64(sz.v)
		}
	})
	return ids, size, err
}

// Busy waits for compaction: it is over when the set of blocks has not
// changed for 45 seconds (level 0 is compacted at 20 blocks or 36 seconds).
func (p *pyroscope) Busy(ctx context.Context) (bool, error) {
	if p.storage == "v1" {
		return false, nil
	}
	ids, _, err := p.blocks(ctx, 1, time.Now().Add(time.Hour).UnixNano())
	if err != nil {
		return true, err
	}
	if s := strings.Join(ids, " "); s != p.lastIDs || p.lastSeen.IsZero() {
		p.lastIDs, p.lastSeen = s, time.Now()
	}
	return time.Since(p.lastSeen) < 45*time.Second, nil
}

func (p *pyroscope) LiveBytes(ctx context.Context, from, to int64) (int64, error) {
	if p.storage == "v1" {
		return -1, nil
	}
	_, n, err := p.blocks(ctx, from, to)
	return n, err
}

func pyroscopeType(s corpus.Select) string {
	v, pt := corpus.SampleTypes[s.Type][s.ValueIndex()], corpus.PeriodTypes[s.Type]
	return strings.Join([]string{corpus.Names[s.Type], v[0], v[1], pt[0], pt[1]}, ":")
}

func selector(s corpus.Select) string {
	var m []string
	if s.Service != "" {
		m = append(m, fmt.Sprintf("service_name=%q", s.Service))
	}
	if s.Instance != "" {
		m = append(m, fmt.Sprintf("instance=%q", s.Instance))
	}
	return "{" + strings.Join(m, ",") + "}"
}

func pyroscopeMerge(s corpus.Select, nodes int) msg {
	m := msg(nil).str(1, pyroscopeType(s)).str(2, selector(s)).num(3, s.From/1e6).num(4, s.To/1e6)
	if nodes == Full {
		nodes = 1 << 20 // the most that the server allows
	}
	return m.num(5, int64(nodes))
}

func (p *pyroscope) Flame(ctx context.Context, s corpus.Select, nodes int) (Answer, error) {
	b, err := p.call(ctx, "/querier.v1.QuerierService/SelectMergeStacktraces", pyroscopeMerge(s, nodes))
	if err != nil {
		return Answer{}, err
	}
	fg, ok := get(b, 1)
	if !ok {
		return Answer{}, errors.New("no flame graph in the answer")
	}
	total, _ := get(fg.b, 3)
	names, values := 0, 0
	each(fg.b, func(f field) {
		switch f.n {
		case 1:
			names++
		case 2:
			each(f.b, func(l field) {
				if l.n == 1 {
					for q := l.b; len(q) > 0; values++ {
						i := 0
						for q[i] >= 0x80 {
							i++
						}
						q = q[i+1:]
					}
				}
			})
		}
	})
	return Answer{Total: int64(total.v), Bytes: len(b), Info: fmt.Sprintf("names=%d nodes=%d", names, values/4)}, nil
}

func (p *pyroscope) Diff(ctx context.Context, a, b corpus.Select) (Answer, error) {
	r, err := p.call(ctx, "/querier.v1.QuerierService/Diff", msg(nil).bytes(1, pyroscopeMerge(a, 0)).bytes(2, pyroscopeMerge(b, 0)))
	if err != nil {
		return Answer{}, err
	}
	fg, _ := get(r, 1)
	left, _ := get(fg.b, 5)
	right, _ := get(fg.b, 6)
	return Answer{Total: int64(left.v + right.v), Bytes: len(r), Info: fmt.Sprintf("left=%d right=%d", left.v, right.v)}, nil
}

func (p *pyroscope) Pprof(ctx context.Context, s corpus.Select) ([]byte, error) {
	return p.call(ctx, "/querier.v1.QuerierService/SelectMergeProfile", pyroscopeMerge(s, 0))
}

func (p *pyroscope) Series(ctx context.Context, s corpus.Select, step time.Duration) ([]Point, Answer, error) {
	// A point covers the step before it, so the last step needs one more.
	m := msg(nil).str(1, pyroscopeType(s)).str(2, selector(s)).num(3, s.From/1e6).num(4, (s.To+int64(step))/1e6).f64(6, math.Float64bits(step.Seconds()))
	b, err := p.call(ctx, "/querier.v1.QuerierService/SelectSeries", m)
	if err != nil {
		return nil, Answer{}, err
	}
	var ps []Point
	total := 0.0
	each(b, func(f field) {
		if f.n != 1 {
			return
		}
		each(f.b, func(g field) {
			if g.n == 2 {
				v, _ := get(g.b, 1)
				t, _ := get(g.b, 2)
				x := math.Float64frombits(v.v)
				total += x
				ps = append(ps, Point{int64(t.v) * 1e6, x})
			}
		})
	})
	return ps, Answer{Total: int64(total), Bytes: len(b), Info: fmt.Sprintf("points=%d", len(ps))}, nil
}

func (p *pyroscope) Close() error {
	p.hc.CloseIdleConnections()
	if p.cc != nil {
		p.cc.Close()
		p.cc = nil
	}
	return nil
}
