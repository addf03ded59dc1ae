package pyroscope

import (
	"context"
	"encoding/binary"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"github.com/hone-go/hone/internal/ingest/ingesttest"
	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/profile"
)

// readTree reads the format TREE as Pyroscope does, with a list of the parents to come: the own
// value of each stack.
func readTree(t *testing.T, b []byte) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	number := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			t.Fatalf("no number in the last %d bytes", len(b))
		}
		b = b[n:]
		return v
	}
	for parents := []string{""}; len(parents) > 0; {
		path := parents[len(parents)-1]
		parents = parents[:len(parents)-1]
		length := number()
		if name := string(b[:length]); name != "" {
			path += ";" + name
		}
		b = b[length:]
		if own := int64(number()); own != 0 {
			out[path] += own
		}
		for range number() {
			parents = append(parents, path)
		}
	}
	if len(b) > 0 {
		t.Errorf("%d bytes after the tree", len(b))
	}
	return out
}

// All formats have the same values.
func TestFormats(t *testing.T) {
	s := fleet(t)
	ask := func(format pb.ProfileFormat, selector string, nodes int64) *pb.SelectMergeStacktracesResponse {
		t.Helper()
		req := query(cpuType, selector)
		req.Format, req.MaxNodes = format, &nodes
		return must(call[pb.SelectMergeStacktracesRequest, pb.SelectMergeStacktracesResponse](s, "SelectMergeStacktraces", req))
	}
	for _, nodes := range []int64{0, 20, mostNodes + 1} {
		flame := ask(pb.ProfileFormat_PROFILE_FORMAT_FLAMEGRAPH, "{}", nodes).Flamegraph
		want := unfold(t, flame.Names, flame.Levels, 4, 0)
		if got := readTree(t, ask(pb.ProfileFormat_PROFILE_FORMAT_TREE, "{}", nodes).Tree); !reflect.DeepEqual(got, want) {
			t.Errorf("tree of %d nodes: %d stacks of %d, want %d of %d", nodes, len(got), sum(got), len(want), sum(want))
		}
		if got := sumOf(ask(pb.ProfileFormat_PROFILE_FORMAT_PPROF, "{}", nodes).Pprof.Profile); got != flame.Total {
			t.Errorf("pprof of %d nodes: %d, want %d", nodes, got, flame.Total)
		}
		dot := ask(pb.ProfileFormat_PROFILE_FORMAT_DOT, "{}", nodes).Dot
		boxes := len(regexp.MustCompile(`(?m)^N\d+ \[`).FindAllString(dot, -1))
		if !strings.HasPrefix(dot, "digraph ") || boxes == 0 || nodes > 0 && int64(boxes) > nodes || !strings.Contains(dot, "runtime.main") && nodes != 20 {
			t.Errorf("dot of %d nodes has %d: %.300s", nodes, boxes, dot)
		}
	}
	const nothing = `{service_name="nosuch"}`
	if res := ask(pb.ProfileFormat_PROFILE_FORMAT_TREE, nothing, 0); len(res.Tree) > 0 {
		t.Errorf("tree of nothing: %q", res.Tree)
	}
	if res := ask(pb.ProfileFormat_PROFILE_FORMAT_DOT, nothing, 0); res.Dot != "" {
		t.Errorf("dot of nothing: %q", res.Dot)
	}
	span := &pb.SelectMergeSpanProfileRequest{ProfileTypeID: cpuType, Start: begin, End: begin + minute, SpanSelector: []string{"aa"}, Format: pb.ProfileFormat_PROFILE_FORMAT_DOT}
	if _, err := call[pb.SelectMergeSpanProfileRequest, pb.SelectMergeSpanProfileResponse](s, "SelectMergeSpanProfile", span); connect.CodeOf(err) != connect.CodeUnimplemented {
		t.Errorf("dot of spans: %v", err)
	}
}

// A profile with few nodes has the same total, and stacks that end where they leave the nodes.
func TestLimitNodes(t *testing.T) {
	p, err := profile.DecodeBytes(ingesttest.Profile(t, "cpu.wordcount-v1.pb.gz"), profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	whole := stacks(p, p.SampleTypes[0].Type, nil)
	for _, n := range []int64{1, 7, 100} {
		q, err := limitNodes(context.Background(), p, n)
		if err != nil {
			t.Fatal(err)
		}
		got := stacks(q, p.SampleTypes[0].Type, nil)
		if sum(got) != sum(whole) {
			t.Errorf("%d nodes: %d, want %d", n, sum(got), sum(whole))
		}
		all, err := placesOf(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		kept := 0
		for at := range all.number {
			if q.FunctionName(q.LocationLines(at.location)[0].Function) != other {
				kept++
			}
		}
		if int64(kept) != n {
			t.Errorf("%d nodes are kept, want %d", kept, n)
		}
		for path := range got {
			begins := false
			for long := range whole {
				begins = begins || long == path || strings.HasPrefix(long+";", strings.TrimSuffix(path, other))
			}
			if !begins {
				t.Errorf("%d nodes: no stack begins like %s", n, path)
			}
		}
	}
	for _, n := range []int64{0, -1, 1 << 19, mostNodes + 1} {
		if q, err := limitNodes(context.Background(), p, n); q != p || err != nil {
			t.Errorf("%d nodes: the profile changes, %v", n, err)
		}
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := limitNodes(stopped, p, 3); err == nil {
		t.Error("it goes on after the call has ended")
	}
}
