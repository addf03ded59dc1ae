// Command typecheck parses and type-checks the standard library again and
// again, prints and formats what it read, and walks the syntax trees.
package main

import (
	"bytes"
	"context"
	"go/ast"
	"go/build"
	"go/constant"
	"go/doc"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"github.com/hone-go/hone/bench/peers/workloads/kit"
)

var pkgs = strings.Fields("net/http go/types encoding/json text/template html/template regexp archive/zip archive/tar crypto/tls database/sql debug/elf encoding/xml encoding/gob net/rpc image/png image/jpeg log/slog math/big mime/multipart net/netip os/exec testing go/printer compress/flate expvar net/smtp go/doc encoding/asn1 text/tabwriter")

func main() {
	kit.Main("typecheck", func(ctx context.Context, wg *sync.WaitGroup) {
		for w := 0; w < 2; w++ {
			wg.Add(1)
			go func(seed int64) {
				defer wg.Done()
				rng := rand.New(rand.NewSource(seed))
				for ctx.Err() == nil {
					fset := token.NewFileSet()
					imp := importer.ForCompiler(fset, "source", nil)
					for k := 0; k < 6 && ctx.Err() == nil; k++ {
						check(fset, imp, pkgs[rng.Intn(len(pkgs))])
					}
				}
			}(int64(w))
		}
	})
}

var (
	kept   sync.Map
	recent = make(chan *types.Info, 8)
)

func check(fset *token.FileSet, imp types.Importer, path string) {
	bp, err := build.Import(path, "", 0)
	if err != nil {
		return
	}
	var files []*ast.File
	for _, f := range bp.GoFiles {
		af, err := parser.ParseFile(fset, filepath.Join(bp.Dir, f), nil, parser.ParseComments)
		if err == nil {
			files = append(files, af)
		}
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}, Implicits: map[ast.Node]types.Object{}}
	conf := types.Config{Importer: imp, Error: func(error) {}, FakeImportC: true}
	pkg, _ := conf.Check(path, fset, files, info)
	if pkg == nil {
		return
	}
	select {
	case recent <- info:
	default:
		<-recent
	}
	lint(pkg, info, files)
	for i, f := range files {
		if i%3 == 0 {
			var b bytes.Buffer
			format.Node(&b, fset, f)
		}
	}
	if d, err := doc.NewFromFiles(fset, files, path); err == nil {
		var names []string
		for _, t := range d.Types {
			names = append(names, t.Name+": "+d.Synopsis(t.Doc))
		}
		kept.Store(path, names)
	}
}

// lint does what a small analyser does: method sets, assignability, unused
// objects, folded constants.
func lint(pkg *types.Package, info *types.Info, files []*ast.File) {
	used := map[types.Object]int{}
	for _, o := range info.Uses {
		used[o]++
	}
	var named []*types.Named
	for _, n := range pkg.Scope().Names() {
		if tn, ok := pkg.Scope().Lookup(n).(*types.TypeName); ok {
			if t, ok := tn.Type().(*types.Named); ok {
				named = append(named, t)
			}
		}
	}
	for _, a := range named {
		ms := types.NewMethodSet(types.NewPointer(a))
		for i := 0; i < ms.Len(); i++ {
			_ = types.TypeString(ms.At(i).Type(), types.RelativeTo(pkg))
		}
		for _, b := range named {
			if it, ok := b.Underlying().(*types.Interface); ok {
				types.Implements(a, it)
			}
			types.AssignableTo(a, b)
		}
	}
	total := constant.MakeInt64(0)
	for _, tv := range info.Types {
		if tv.Value != nil && tv.Value.Kind() == constant.Int {
			total = constant.BinaryOp(total, token.ADD, tv.Value)
		}
	}
	depth := map[string]int{}
	for _, f := range files {
		var stack []ast.Node
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			if c, ok := n.(*ast.CallExpr); ok {
				depth[types.ExprString(c.Fun)] = len(stack)
			}
			return true
		})
	}
	keys := make([]string, 0, len(depth))
	for k := range depth {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if depth[keys[i]] != depth[keys[j]] {
			return depth[keys[i]] > depth[keys[j]]
		}
		return keys[i] < keys[j]
	})
}
