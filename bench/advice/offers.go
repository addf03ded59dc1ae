package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// hotCallees are functions that rules look for below a line. Each line of the source is
// given a sample in each, so that every rule sees every line as hot.
var hotCallees = []string{
	"bufio.(*Scanner).Text", "bufio.NewWriter", "bytes.(*Buffer).String", "bytes.growSlice", "compress/gzip.NewWriter",
	"encoding/json.Marshal", "errors.As", "errors.New", "fmt.Errorf", "fmt.Sprintf", "internal/bytealg.IndexByteString",
	"internal/runtime/maps.(*table).rehash", "math/rand.NewSource", "net/http.CanonicalHeaderKey",
	"net/textproto.CanonicalMIMEHeaderKey", "reflect.DeepEqual", "reflect.TypeOf", "reflect.Value.Interface",
	"reflect.unsafe_New", "regexp.MustCompile", "runtime.concatstring2", "runtime.growslice", "runtime.mapassign_faststr",
	"runtime.slicebytetostring", "sort.Slice", "strings.ContainsAny", "strings.Join", "strings.NewReplacer",
	"strings.Repeat", "strings.Split", "strings.ToLower", "strings.ToUpper", "text/template.New", "time.LoadLocation",
}

// offers is the number of findings of a rule, by class.
type offers [3]int

// countOffers prints, for each rule, how many rewrites hone offers in the packages of
// some folders when every line of their functions is hot. Comparing the numbers of two
// builds shows whether a rule became silent.
func countOffers(o *options, folders string) error {
	total := make(map[string]offers)
	for folder := range strings.SplitSeq(folders, ",") {
		out, err := goList(folder)
		if err != nil {
			return err
		}
		for _, pkg := range out {
			if err := countPackage(o, &pkg, total); err != nil {
				fmt.Printf("%s: not counted: %v\n", pkg.ImportPath, err)
			}
		}
	}
	var all offers
	for _, rule := range slices.Sorted(maps.Keys(total)) {
		n := total[rule]
		for i := range n {
			all[i] += n[i]
		}
		if n[0]+n[1] > 0 {
			fmt.Printf("%-28s A %4d  B %4d  advice %5d\n", rule, n[0], n[1], n[2])
		}
	}
	fmt.Printf("%-28s A %4d  B %4d  advice %5d\n", "total", all[0], all[1], all[2])
	return nil
}

type listed struct {
	Dir, ImportPath, Name string
	GoFiles               []string
	Standard              bool
}

func goList(folder string) ([]listed, error) {
	cmd := exec.Command("go", "list", "-e", "-json=Dir,ImportPath,Name,GoFiles,Standard", "./...")
	cmd.Dir, cmd.Stderr = folder, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// countPackage adds the findings of a package to total.
func countPackage(o *options, pkg *listed, total map[string]offers) error {
	profiles, err := everyLineHot(pkg)
	if err != nil || len(profiles[0].Sample) == 0 {
		return err
	}
	dir, err := os.MkdirTemp("", "offers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	args := []string{"advise", "-json", "-all", "-min", "1e-9", "-compiler=false"}
	for i, p := range profiles {
		file := filepath.Join(dir, []string{"cpu.pb.gz", "heap.pb.gz"}[i])
		f, err := os.Create(file)
		if err == nil {
			err = errors.Join(p.Write(f), f.Close())
		}
		if err != nil {
			return err
		}
		args = append(args, file)
	}
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.hone, args...)
	cmd.Dir = pkg.Dir
	var report struct{ Findings []finding }
	if err := decode(cmd, &report); err != nil {
		return err
	}
	for _, f := range report.Findings {
		n := total[f.Rule]
		if i := strings.Index("ABC", f.Class); i >= 0 {
			n[i]++
		}
		total[f.Rule] = n
	}
	return nil
}

// everyLineHot is a CPU profile and one of allocations, with samples on each line that
// has a statement or a call.
func everyLineHot(pkg *listed) ([2]*hotProfile, error) {
	both := [2]*hotProfile{newHotProfile("samples", "count", "cpu", "nanoseconds"), newHotProfile("alloc_objects", "count", "alloc_space", "bytes")}
	both[1].sizes = []int64{64, 128, 256}
	for _, name := range pkg.GoFiles {
		fset := token.NewFileSet()
		file := filepath.Join(pkg.Dir, name)
		f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return both, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				for _, b := range both {
					b.function(fset, file, symbol(pkg, fn), fn, fn.Body)
				}
			}
		}
	}
	return both, nil
}

// symbol is a function's name as profiles have it.
func symbol(pkg *listed, fn *ast.FuncDecl) string {
	path := pkg.ImportPath
	switch {
	case pkg.Name == "main":
		path = "main"
	case pkg.Standard: // the module that its source is in is named std
		path = "std/" + path
	}
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return path + "." + fn.Name.Name
	}
	t, form := fn.Recv.List[0].Type, "%s.%s.%s"
	if star, ok := t.(*ast.StarExpr); ok {
		t, form = star.X, "%s.(*%s).%s"
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	name, _ := t.(*ast.Ident)
	if name == nil {
		return path + "." + fn.Name.Name
	}
	return fmt.Sprintf(form, path, name.Name, fn.Name.Name)
}

// A hotProfile is a profile in the making.
type hotProfile struct {
	profile.Profile
	callees []*profile.Location
	sizes   []int64 // of blocks allocated on each line, in bytes; none for a CPU profile
}

func newHotProfile(count, countUnit, value, valueUnit string) *hotProfile {
	b := new(hotProfile)
	b.SampleType = []*profile.ValueType{{Type: count, Unit: countUnit}, {Type: value, Unit: valueUnit}}
	for _, callee := range hotCallees {
		b.callees = append(b.callees, b.location(&profile.Function{Name: callee, SystemName: callee, Filename: callee + ".go", StartLine: 1}, 1))
	}
	return b
}

func (b *hotProfile) location(fn *profile.Function, line int) *profile.Location {
	if fn.ID == 0 {
		fn.ID = uint64(len(b.Function) + 1)
		b.Function = append(b.Function, fn)
	}
	l := &profile.Location{ID: uint64(len(b.Location) + 1), Line: []profile.Line{{Function: fn, Line: int64(line)}}}
	b.Location = append(b.Location, l)
	return l
}

// function has each line of a body hot, those of function literals in these.
func (b *hotProfile) function(fset *token.FileSet, file, name string, n ast.Node, body *ast.BlockStmt) {
	start := n.Pos()
	if d, ok := n.(*ast.FuncDecl); ok {
		start = d.Type.Func
	}
	fn := &profile.Function{Name: name, SystemName: name, Filename: file, StartLine: int64(fset.Position(start).Line)}
	lines := make(map[int]bool)
	literals := 0
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			literals++
			b.function(fset, file, fmt.Sprintf("%s.func%d", name, literals), n, n.Body)
			return false
		case ast.Stmt, *ast.CallExpr, *ast.BinaryExpr:
			lines[fset.Position(n.Pos()).Line] = true
		}
		return true
	})
	for _, line := range slices.SortedFunc(maps.Keys(lines), cmp.Compare) {
		b.sample(b.location(fn, line))
	}
}

// sample makes a line hot, by itself and by each callee that rules look for.
func (b *hotProfile) sample(at *profile.Location) {
	if b.sizes != nil {
		for _, size := range b.sizes {
			b.Sample = append(b.Sample, &profile.Sample{Location: []*profile.Location{at}, Value: []int64{100, 100 * size}, NumLabel: map[string][]int64{"bytes": {size}}})
		}
		return
	}
	b.Sample = append(b.Sample, &profile.Sample{Location: []*profile.Location{at}, Value: []int64{10, 1e8}})
	for _, callee := range b.callees {
		b.Sample = append(b.Sample, &profile.Sample{Location: []*profile.Location{callee, at}, Value: []int64{1, 1e7}})
	}
}
