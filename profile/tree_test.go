package profile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/hashing"
)

// treeProfile returns a profile of random stacks with recursion, inlining and
// locations without lines.
func treeProfile(r *rand.Rand, samples, functions, locations, depth int, negative bool) *Profile {
	b := NewBuilder(ValueType{"samples", "count"}, ValueType{"cpu", "nanoseconds"})
	m := b.Mapping(Mapping{Start: 1, Limit: 1 << 40, File: "/bin/app"})
	fns := make([]uint32, functions)
	for i := range fns {
		fns[i] = b.Function(fmt.Sprintf("pkg%d.F%d", i%7, i/2), "", fmt.Sprintf("/v%d/pkg%d/f%d.go", i%2, i%7, i%5), int64(i))
	}
	locs := make([]uint32, locations)
	for i := range locs {
		var lines []Line
		for range r.IntN(3) {
			lines = append(lines, Line{Function: fns[r.IntN(functions)], Line: int64(r.IntN(9))})
		}
		locs[i] = b.Location(uint64(16*i+16), m, lines...)
	}
	stack := make([]uint32, 0, depth)
	for range samples {
		stack = stack[:0]
		for range r.IntN(depth + 1) {
			stack = append(stack, locs[r.IntN(locations)])
		}
		v := int64(r.IntN(5))
		if negative && r.IntN(3) == 0 {
			v = -v
		}
		b.Sample(stack, nil, v, 10*v)
	}
	return b.Profile()
}

// naiveTree sums values by path, slowly: the model of NewTree.
func naiveTree(base, head *Profile, o TreeOptions) (total, self map[string][2]int64) {
	total, self = map[string][2]int64{}, map[string][2]int64{}
	for side, p := range []*Profile{head, base} {
		if p == nil {
			continue
		}
		for s := range p.Stacks {
			v, at := p.Values[o.Types[0]][s], side
			if v < 0 {
				v, at = -v, 1-side
			}
			if v == 0 {
				continue
			}
			add := func(m map[string][2]int64, path string) {
				sum := m[path]
				sum[at] += v
				m[path] = sum
			}
			path := ""
			add(total, path)
			names := naiveNames(p, s, o)
			if o.Inverted {
				slices.Reverse(names)
			}
			for i, name := range names {
				if o.CollapseRecursion && i > 0 && names[i-1] == name {
					continue
				}
				path += "/" + name
				add(total, path)
			}
			add(self, path)
		}
	}
	return total, self
}

// naiveNames returns the frames of a stack, root first.
func naiveNames(p *Profile, s int, o TreeOptions) []string {
	var names []string
	for _, l := range p.Stack(s) {
		lines := p.LocationLines(l)
		if o.NoInlines && len(lines) > 1 {
			lines = lines[len(lines)-1:]
		}
		for _, line := range lines {
			f := p.Functions[line.Function]
			name, file := p.Strings[f.Name], p.Strings[f.File]
			switch o.Granularity {
			case "lines":
				name = fmt.Sprintf("%s %s:%d", name, path.Base(file), line.Line)
			case "addresses":
				name = fmt.Sprintf("%s %s:%d 0x%x", name, path.Base(file), line.Line, p.Locations[l].Address)
			case "filefunctions":
				name += " " + file
			}
			names = append(names, name)
		}
		if len(lines) == 0 {
			name := "[app]"
			if o.Granularity == "addresses" {
				name = fmt.Sprintf("0x%x [app]", p.Locations[l].Address)
			}
			names = append(names, name)
		}
	}
	slices.Reverse(names)
	return names
}

// paths returns each node's path in the notation of naiveTree.
func paths(t *Tree, granularity string) []string {
	out := make([]string, t.NumNodes())
	for n := 1; n < t.NumNodes(); n++ {
		f := t.Frames[t.Frame[n]]
		name := f.Name
		if f.File != "" {
			switch granularity {
			case "lines":
				name = fmt.Sprintf("%s %s:%d", name, path.Base(f.File), f.Line)
			case "addresses":
				name = fmt.Sprintf("%s %s:%d 0x%x", name, path.Base(f.File), f.Line, f.Address)
			case "filefunctions":
				name += " " + f.File
			}
		}
		out[n] = out[t.Parent[n]] + "/" + name
	}
	return out
}

// checkValues compares a tree of one sample type with a model's values by path,
// of head and base.
func checkValues(t *testing.T, seed uint64, tree *Tree, o TreeOptions, total, self map[string][2]int64) {
	t.Helper()
	v := &tree.Values[0]
	for n, path := range paths(tree, o.Granularity) {
		got := [2][2]int64{{v.Total[n], 0}, {v.Self[n], 0}}
		if v.BaseTotal != nil {
			got[0][1], got[1][1] = v.BaseTotal[n], v.BaseSelf[n]
		}
		if want := [2][2]int64{total[path], self[path]}; got != want {
			t.Fatalf("seed %d: node %q: got %v, want %v (%+v)", seed, path, got, want, o)
		}
	}
}

// checkFolding compares a tree that was pruned with one that was built folded.
func checkFolding(t *testing.T, r *rand.Rand, tree *Tree, base, head *Profile, o TreeOptions) {
	t.Helper()
	checkPruned(t, r, tree, func(share float64) *Tree {
		o.MinShare = share
		tree, err := NewDiffTree(base, head, o)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	})
}

func TestTreeAgainstModel(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		o := TreeOptions{
			Types:             []int{r.IntN(2)},
			Granularity:       []string{"", "functions", "filefunctions", "lines", "addresses"}[r.IntN(5)],
			Inverted:          r.IntN(2) == 0,
			CollapseRecursion: r.IntN(2) == 0,
			NoInlines:         r.IntN(2) == 0,
		}
		head := treeProfile(r, r.IntN(300), 1+r.IntN(12), 1+r.IntN(20), 8, seed%3 == 0)
		var base *Profile
		if r.IntN(2) == 0 {
			base = treeProfile(r, r.IntN(300), 1+r.IntN(12), 1+r.IntN(20), 8, false)
		}
		tree, err := NewDiffTree(base, head, o)
		if err != nil {
			t.Fatal(err)
		}
		checkTree(t, tree)
		total, self := naiveTree(base, head, o)
		if seen := len(total); seen > 0 && seen != tree.NumNodes() {
			t.Errorf("seed %d: %d nodes, want %d (%+v)", seed, tree.NumNodes(), seen, o)
		}
		checkValues(t, seed, tree, o, total, self)
		checkFolding(t, r, tree, base, head, o)
	}
}

// checkTree checks what holds of every tree.
func checkTree(t *testing.T, tree *Tree) {
	t.Helper()
	if len(tree.First) != tree.NumNodes()+1 || int(tree.First[tree.NumNodes()]) != tree.NumNodes() {
		t.Fatalf("First has %d entries for %d nodes", len(tree.First), tree.NumNodes())
	}
	for c := range tree.Values {
		v := &tree.Values[c]
		for n := range uint32(tree.NumNodes()) {
			total, base := v.Self[n]+foldedAt(v.Folded, n), int64(0)
			if v.BaseTotal != nil {
				base = v.BaseSelf[n] + foldedAt(v.BaseFolded, n)
			}
			first, end := tree.Children(n)
			for k := first; k < end; k++ {
				if tree.Parent[k] != n {
					t.Fatalf("node %d is a child of %d, its parent is %d", k, n, tree.Parent[k])
				}
				if k > first && tree.compare(k-1, k) > 0 {
					t.Fatalf("siblings %d and %d are out of order", k-1, k)
				}
				total += v.Total[k]
				if v.BaseTotal != nil {
					base += v.BaseTotal[k]
				}
			}
			if total != v.Total[n] || v.BaseTotal != nil && base != v.BaseTotal[n] {
				t.Fatalf("node %d: parts add up to %d and %d, not its total", n, total, base)
			}
		}
	}
}

func checkPruned(t *testing.T, r *rand.Rand, tree *Tree, build func(share float64) *Tree) {
	t.Helper()
	share := r.Float64() / 10
	after, during := tree.Prune(share), build(share)
	checkTree(t, after)
	checkTree(t, during)
	a, b := paths(after, "lines"), paths(during, "lines")
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		t.Fatalf("pruned after building: %d nodes; while building: %d", len(a), len(b))
	}
	for n := uint32(1); int(n) < after.NumNodes(); n++ {
		if after.share(n) < share {
			t.Fatalf("node %d of share %g survived", n, after.share(n))
		}
	}
	n := r.IntN(tree.NumNodes())
	some := tree.PruneTo(n)
	checkTree(t, some)
	if some.NumNodes()-1 != min(n, tree.NumNodes()-1) {
		t.Fatalf("pruned to %d nodes: %d", n, some.NumNodes()-1)
	}
}

func TestTreePruneCounts(t *testing.T) {
	p := parseFoldedString(t, "a;b 50\na;c 3\na;d 2\na;d;e 1\na 4\n")
	tree, err := NewTree(p, TreeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pruned := tree.Prune(0.1)
	if got := len(pruned.Frames); got != 2 {
		t.Errorf("%d frames are left", got)
	}
	if pruned.Folded[1] != 2 || pruned.Values[0].Folded[1] != 6 || pruned.Values[0].Self[1] != 4 {
		t.Errorf("folded %v, %+v", pruned.Folded, pruned.Values[0])
	}
	if h := tree.Height(); h != 3 {
		t.Errorf("height %d", h)
	}
}

func TestTreeNormalize(t *testing.T) {
	base, head := parseFoldedString(t, "a 100\n"), parseFoldedString(t, "a 150\nb 50\n")
	tree, err := NewDiffTree(base, head, TreeOptions{Normalize: true})
	if err != nil {
		t.Fatal(err)
	}
	if v := &tree.Values[0]; v.BaseScale != 2 || v.BaseTotal[1] != 100 || v.Event != 1 {
		t.Errorf("got %+v", v)
	}
}

// budget has so many bytes.
type budget struct{ left, taken int64 }

var errBudget = errors.New("no memory")

func (b *budget) Take(n int64) error {
	if n > b.left {
		return errBudget
	}
	b.left -= n
	b.taken += n
	return nil
}

func (b *budget) Give(n int64) { b.left, b.taken = b.left+n, b.taken-n }

// The memory of a tree is taken before it grows: a few samples can be millions of nodes.
func TestTreeBudget(t *testing.T) {
	b := NewBuilder(ValueType{"samples", "count"})
	locations := make([]uint32, 64)
	for i := range locations {
		locations[i] = b.Location(uint64(i+1), 0, Line{Function: b.Function(fmt.Sprint("f", i), "", "f.go", 1)})
	}
	stack := make([]uint32, 2000)
	for s := range 60 { // which have nothing in common
		for i := range stack {
			stack[i] = locations[(s+i)%len(locations)]
		}
		b.Sample(stack, nil, 1)
	}
	p := b.Profile()
	for name, build := range map[string]func(TreeOptions) (*Tree, error){
		"a tree":       func(o TreeOptions) (*Tree, error) { return NewTree(p, o) },
		"a comparison": func(o TreeOptions) (*Tree, error) { return NewDiffTree(p, p, o) },
	} {
		enough := &budget{left: 1 << 30}
		tree, err := build(TreeOptions{Budget: enough})
		if err != nil {
			t.Fatal(err)
		}
		held := int64(0)
		tree.eachColumn(func(column []int64) []int64 { held += bytesOf[int64](cap(column)); return column })
		held += bytesOf[uint32](cap(tree.Frame)+cap(tree.Parent)+cap(tree.First)) + int64(cap(tree.Inlined))
		if tree.NumNodes() < 60*2000 || enough.taken < held || enough.taken > 4*held {
			t.Errorf("%s of %d nodes took %d bytes, and has %d", name, tree.NumNodes(), enough.taken, held)
		}
		if _, err := build(TreeOptions{Budget: &budget{left: enough.taken / 2}}); !errors.Is(err, errBudget) {
			t.Errorf("%s with half as much memory: %v", name, err)
		}
	}
}

func TestTreeInlined(t *testing.T) {
	b := NewBuilder(ValueType{"samples", "count"})
	f, g := b.Function("f", "f", "x.go", 1), b.Function("g", "g", "x.go", 9)
	inlined := b.Location(1, 0, Line{Function: g}, Line{Function: f})
	outer, called := b.Location(2, 0, Line{Function: f}), b.Location(3, 0, Line{Function: g})
	b.Sample([]uint32{inlined}, nil, 5)
	tree, err := NewTree(b.in.p, TreeOptions{})
	if err != nil || tree.Inlined[1] || !tree.Inlined[2] {
		t.Errorf("g is inlined: %v %v", tree.Inlined, err)
	}
	b.Sample([]uint32{called, outer}, nil, 1)
	if tree, _ = NewTree(b.in.p, TreeOptions{}); tree.Inlined[2] {
		t.Error("g is inlined only sometimes")
	}
}

func TestTreeErrors(t *testing.T) {
	p := parseFoldedString(t, "a 1\n")
	if _, err := NewTree(p, TreeOptions{Types: []int{7}}); err == nil || !strings.Contains(err.Error(), "unknown sample type 7") {
		t.Error(err)
	}
	if _, err := NewTree(p, TreeOptions{Granularity: "bits"}); err == nil || !strings.Contains(err.Error(), `unknown granularity "bits"`) {
		t.Error(err)
	}
	if _, err := NewDiffTree(parseFoldedString(t, "a 1 2\n"), p, TreeOptions{}); err == nil {
		t.Error("no error for a base without the sample type")
	}
	if tree, err := NewTree(NewBuilder(ValueType{"a", "b"}).Profile(), TreeOptions{}); err != nil || tree.NumNodes() != 1 || tree.Height() != 0 {
		t.Errorf("empty profile: %v", err)
	}
}

func parseFoldedString(t *testing.T, s string) *Profile {
	t.Helper()
	p, err := ParseFolded(strings.NewReader(s), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFrameOrigin(t *testing.T) {
	for _, tt := range []struct {
		name, file, pkg string
		origin          Origin
	}{
		{"runtime.mallocgc", "/usr/local/go/src/runtime/malloc.go", "runtime", OriginRuntime},
		{"runtime.(*mheap).alloc.func1", "runtime/mheap.go", "runtime", OriginRuntime},
		{"internal/runtime/maps.(*Iter).Next", "", "internal/runtime/maps", OriginRuntime},
		{"aeshashbody", "/usr/local/go/src/runtime/asm_amd64.s", "runtime", OriginRuntime},
		{"encoding/json.(*decodeState).object", "/go/src/encoding/json/decode.go", "encoding/json", OriginStandard},
		{"vendor/golang.org/x/net/http2/hpack.Decode", "vendor/golang.org/x/net/http2/hpack/h.go", "vendor/golang.org/x/net/http2/hpack", OriginStandard},
		{"slices.SortFunc[go.shape.[]github.com/a/b.T,go.shape.int]", "/go/src/slices/sort.go", "slices", OriginStandard},
		{"main.main", "/home/me/app/main.go", "main", OriginOwn},
		{"main.main.func1", "", "main", OriginOwn},
		{"github.com/a/b/c.(*T[...]).M", "/home/me/b/c/t.go", "github.com/a/b/c", OriginOwn},
		{"github.com/a/b.Use.(*T).All.func1", "/home/me/b/use.go", "github.com/a/b", OriginOwn},
		{"gopkg.in/yaml%2ev3.(*parser).parse", "/go/pkg/mod/gopkg.in/yaml.v3@v3.0.1/p.go", "gopkg.in/yaml.v3", OriginThirdParty},
		{"github.com/x/y.F", "/home/me/app/vendor/github.com/x/y/f.go", "github.com/x/y", OriginThirdParty},
		{"std::vector<int, std::allocator<int> >::push_back(int const&)", "/usr/include/c++/vector", "std", OriginOther},
		{"memcpy", "string/memcpy.c", "string", OriginOther},
		{"[libc.so.6]", "", "[libc.so.6]", OriginOther},
		{"main.main", "/go/pkg/mod/github.com/me/tool@v1.2.0/main.go", "main", OriginOwn},
		{"main.main", "_testmain.go", "main", OriginStandard},
		{"main.search via regexp.MustCompile", "/home/me/app/main.go", "regexp", OriginStandard},
		{"github.com/a/b.F via runtime.makeslice", "/home/me/b/f.go", "runtime", OriginRuntime},
		{"github.com/a/b.(*T).F via gopkg.in/yaml%2ev3.(*parser).parse", "/home/me/b/f.go", "gopkg.in/yaml.v3", OriginThirdParty},
		{"main.f via [libc.so.6]", "/home/me/app/main.go", "[libc.so.6]", OriginOther},
		{"runtime: garbage collection", "", "runtime", OriginRuntime},
		{"library: net/http", "", "net/http", OriginStandard},
		{"library: gopkg.in/yaml.v3", "", "gopkg.in/yaml.v3", OriginThirdParty},
		{"library: [libc.so.6]", "", "[libc.so.6]", OriginOther},
		{"library: <unknown>", "", "<unknown>", OriginOther},
		{"", "", "", OriginOther},
		{"/usr/local/go/src/runtime/proc.go", "/usr/local/go/src/runtime/proc.go", "runtime", OriginRuntime},
	} {
		f := Frame{Name: tt.name, File: tt.file}
		if f.Package() != tt.pkg || f.Origin() != tt.origin {
			t.Errorf("%s: package %q, %v; want %q, %v", tt.name, f.Package(), f.Origin(), tt.pkg, tt.origin)
		}
	}
}

// BenchmarkNewTree measures a profile of many samples over many locations.
// Stacks are random walks through a call graph, so that they share prefixes the
// way stacks of programs do.
func BenchmarkNewTree(b *testing.B) {
	p := walkProfile(500_000, 200_000, 20_000)
	for _, bm := range []struct {
		name string
		o    TreeOptions
	}{
		{"all", TreeOptions{Types: []int{0}}},
		{"folded", TreeOptions{Types: []int{0}, MinShare: 1e-4}},
		{"inverted folded", TreeOptions{Types: []int{0}, MinShare: 1e-4, Inverted: true}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t, err := NewTree(p, bm.o)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(t.NumNodes()), "nodes")
			}
		})
	}
	runtime.KeepAlive(p)
}

// walkProfile returns a profile of distinct stacks of 5 to 44 locations.
func walkProfile(samples, locations, functions int) *Profile {
	r := rand.New(rand.NewPCG(1, 2))
	p := &Profile{
		SampleTypes: []ValueType{{"samples", "count"}},
		Strings:     []string{"", "app.go"},
		Values:      [][]int64{make([]int64, samples)},
	}
	for f := range functions {
		p.Strings = append(p.Strings, fmt.Sprintf("example.com/app/pkg%d.Function%d", f%100, f))
		p.Functions = append(p.Functions, Function{Name: uint32(f + 2), File: 1})
	}
	for l := range locations {
		p.Lines = append(p.Lines, Line{Function: uint32(l % functions), Line: int64(l)})
		p.Locations = append(p.Locations, Location{ID: uint64(l + 1), Address: uint64(l), FirstLine: uint32(l), NumLines: 1})
	}
	for s := range samples {
		depth := 5 + r.IntN(40)
		start := uint32(len(p.Frames))
		at := uint64(1)
		for range depth {
			// One of few callees of where the walk stands, the first most often.
			at = hashing.Mix(at, uint64(r.ExpFloat64())) % uint64(locations)
			p.Frames = append(p.Frames, uint32(at))
		}
		slices.Reverse(p.Frames[start:])
		p.Stacks = append(p.Stacks, Stack{start, uint32(depth)})
		p.Values[0][s] = 1
	}
	return p
}
