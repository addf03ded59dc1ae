package profile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	gp "github.com/google/pprof/profile"
)

// ToGoogle converts p to the model of google/pprof, the oracle of differential
// tests. It keeps ids, order and repeated samples.
func ToGoogle(p *Profile) *gp.Profile {
	g := &gp.Profile{
		DefaultSampleType: p.DefaultSampleType,
		PeriodType:        &gp.ValueType{Type: p.PeriodType.Type, Unit: p.PeriodType.Unit},
		Period:            p.Period,
		TimeNanos:         p.TimeNanos,
		DurationNanos:     p.DurationNanos,
		Comments:          p.Comments,
		DocURL:            p.DocURL,
		DropFrames:        p.DropFrames,
		KeepFrames:        p.KeepFrames,
	}
	for _, t := range p.SampleTypes {
		g.SampleType = append(g.SampleType, &gp.ValueType{Type: t.Type, Unit: t.Unit})
	}
	for i := range p.Mappings {
		m := &p.Mappings[i]
		g.Mapping = append(g.Mapping, &gp.Mapping{
			ID: m.ID, Start: m.Start, Limit: m.Limit, Offset: m.Offset, File: m.File, BuildID: m.BuildID,
			HasFunctions: m.HasFunctions, HasFilenames: m.HasFilenames,
			HasLineNumbers: m.HasLineNumbers, HasInlineFrames: m.HasInlineFrames,
			KernelRelocationSymbol: m.KernelRelocationSymbol(),
		})
	}
	for i, f := range p.Functions {
		g.Function = append(g.Function, &gp.Function{
			ID: uint64(i + 1), Name: p.Strings[f.Name], SystemName: p.Strings[f.SystemName],
			Filename: p.Strings[f.File], StartLine: f.StartLine,
		})
	}
	for i, l := range p.Locations {
		loc := &gp.Location{ID: l.ID, Address: l.Address, IsFolded: l.Folded}
		if l.Mapping != 0 {
			loc.Mapping = g.Mapping[l.Mapping-1]
		}
		for _, line := range p.LocationLines(uint32(i)) {
			loc.Line = append(loc.Line, gp.Line{Function: g.Function[line.Function], Line: line.Line, Column: line.Column})
		}
		g.Location = append(g.Location, loc)
	}
	for s := range p.Stacks {
		sample := &gp.Sample{}
		for _, column := range p.Values {
			sample.Value = append(sample.Value, column[s])
		}
		for _, l := range p.Stack(s) {
			sample.Location = append(sample.Location, g.Location[l])
		}
		for _, l := range p.SampleLabelSet(s) {
			key := p.Strings[l.Key]
			if !l.Numeric {
				if sample.Label == nil {
					sample.Label = map[string][]string{}
				}
				sample.Label[key] = append(sample.Label[key], p.Strings[l.Str])
				continue
			}
			if sample.NumLabel == nil {
				sample.NumLabel = map[string][]int64{}
				sample.NumUnit = map[string][]string{}
			}
			sample.NumLabel[key] = append(sample.NumLabel[key], l.Num)
			if l.HasUnit {
				sample.NumUnit[key] = append(sample.NumUnit[key], p.Strings[l.Unit])
			}
		}
		g.Sample = append(g.Sample, sample)
	}
	return g
}

// sameAsOracle fails the test if p isn't g, in all that its text and its encoding
// tell.
func sameAsOracle(t testing.TB, p *Profile, g *gp.Profile) {
	t.Helper()
	diffLines(t, rawText(t, p), g.String())
	var got, want bytes.Buffer
	if err := ToGoogle(p).WriteUncompressed(&got); err != nil {
		t.Fatal(err)
	}
	if err := g.WriteUncompressed(&want); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("encodes to %d bytes, want %d, or others", got.Len(), want.Len())
	}
}

// parityFiles returns the files that match pattern in the parity corpus, which
// may lie beside the repository.
func parityFiles(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "shared", "parity", filepath.FromSlash(pattern)))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Logf("NO PARITY CORPUS: ../../shared/parity/%s matches nothing, its cases are not tested", pattern)
	}
	return files
}

// corpus returns the files of all profiles there are to test with.
func corpus(t testing.TB) []string {
	t.Helper()
	own, err := filepath.Glob(filepath.Join("..", "testdata", "*.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	files := append(own, parityFiles(t, "driver/profiles/*.pb.gz")...)
	files = append(files, parityFiles(t, "large/*")...)
	for _, f := range parityFiles(t, "legacy/*") {
		if filepath.Ext(f) != ".string" {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		t.Skip("no profiles to test with")
	}
	return files
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
