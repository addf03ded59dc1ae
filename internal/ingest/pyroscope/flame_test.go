package pyroscope

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hone-go/hone/profile"
)

// BenchmarkFlame is what a query costs after the store has merged: all CPU
// profiles of the testdata in one.
func BenchmarkFlame(b *testing.B) {
	files, _ := filepath.Glob("../../../testdata/cpu.*.pb.gz")
	var parts []*profile.Profile
	for _, file := range files {
		if strings.Contains(file, "diff") {
			continue // it has negative values
		}
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		p, err := profile.DecodeBytes(data, profile.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.SampleIndex("cpu"); err == nil {
			parts = append(parts, p)
		}
	}
	p, err := profile.Sum(context.Background(), parts...)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		f, err := flameGraphOf(context.Background(), p, mostNodes)
		if err != nil {
			b.Fatal(err)
		}
		encoded, err := proto.Marshal(f)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(encoded)), "wire-bytes")
	}
	b.ReportMetric(float64(p.NumSamples()), "samples")
}
