package graphviz

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// graphviz.wasm is Graphviz 12.1.2 (dot layout and core plugins) compiled
// to WebAssembly; gen.go fetches it and NOTICE.md tells where its source is.
// Compressed it has a third of its 1.5 MB, and takes some milliseconds to be read.
//
//go:embed graphviz.wasm.zst
var compressedWasm []byte

func wasmBinary() ([]byte, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	return decoder.DecodeAll(compressedWasm, nil)
}

// maxPages bounds the memory of one layout, in pages of 64 KiB: 2 GiB.
const maxPages = 32768

// manyNodes is the size above which the placement of nodes in their rows stops
// early, after as many improvements as there are nodes. Going on to the optimum
// takes most of the time there: 28 s of CPU instead of 9 s at 2,000 nodes.
const manyNodes = 500

// stackBytes is the C stack for the layout of a graph. The binary was linked
// with the default of 64 KiB, under which lie its globals: searches that recurse
// once per node run over it on a long chain and corrupt them silently. A frame
// takes some hundred bytes and a statement is a line, an edge of which becomes a
// node per rank it crosses.
func stackBytes(dot []byte) int {
	return min(1<<20+4<<10*bytes.Count(dot, []byte("\n")), 64<<20)
}

// layoutFont is the font whose metrics size the boxes. Its widths are the
// closest to Go Regular, which the png, gif, pdf and ps writers draw with, and
// browsers have it or a font of the same metrics for svg.
const layoutFont = "Helvetica"

// wazeroVersion is the one go.mod has. It is part of the name of the cache:
// wazero itself can't tell its version in every build, and 1.9 crashed in what
// 1.8 had compiled.
const wazeroVersion = "v1.12.0"

// module is graphviz.wasm, compiled. Compiling takes the better part of a second,
// so it happens on the first layout, once per process, and its result is kept
// in the user's cache directory for the next process.
type module struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
}

var (
	theModule = sync.OnceValues(func() (*module, error) { return newModule(false) })
	// endedModule is the same, compiled to look whether its context is done at
	// every loop, which takes time.
	endedModule = sync.OnceValues(func() (*module, error) { return newModule(true) })
)

func newModule(ends bool) (*module, error) {
	// The context here outlives the layout that happens to be first.
	ctx := context.Background()
	cfg := wazero.NewRuntimeConfig().WithMemoryLimitPages(maxPages).WithCloseOnContextDone(ends)
	if cache := compilationCache(); cache != nil {
		if m, err := compile(ctx, cfg.WithCompilationCache(cache)); err == nil {
			return m, nil
		}
		// A damaged cache entry must not stop the user: compile without it.
	}
	return compile(ctx, cfg)
}

func compile(ctx context.Context, cfg wazero.RuntimeConfig) (*module, error) {
	r := wazero.NewRuntimeWithConfig(ctx, cfg)
	var m wazero.CompiledModule
	wasm, err := wasmBinary()
	if err == nil {
		wasm, err = exportStackPointer(wasm)
	}
	if err == nil {
		m, err = r.CompileModule(ctx, wasm)
	}
	if err == nil {
		_, err = wasi_snapshot_preview1.Instantiate(ctx, r)
	}
	if err == nil {
		err = instantiateStubs(ctx, r, m)
	}
	if err != nil {
		r.Close(ctx)
		return nil, fmt.Errorf("graph layout engine: %w", err)
	}
	return &module{runtime: r, compiled: m}, nil
}

// instantiateStubs provides the imports of the module "env". They are hooks for
// plugins written by the host; nothing installs one, so a call is a defect.
func instantiateStubs(ctx context.Context, r wazero.Runtime, m wazero.CompiledModule) error {
	env := r.NewHostModuleBuilder("env")
	for _, f := range m.ImportedFunctions() {
		module, name, _ := f.Import()
		if module != "env" {
			continue
		}
		stub := api.GoFunc(func(context.Context, []uint64) { panic("unexpected call of " + name) })
		env.NewFunctionBuilder().WithGoFunction(stub, f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	_, err := env.Instantiate(ctx)
	return err
}

// compilationCache returns nil where there is no directory of the user's own:
// the entries are machine code, so a shared temporary directory will not do.
// What it is of is in its name, so that no build reads another's; wazero adds
// the processor's features.
func compilationCache() wazero.CompilationCache {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	sum := sha256.Sum256(compressedWasm)
	dir = filepath.Join(dir, "hone", "graphviz", fmt.Sprintf("wazero-%s-%x", wazeroVersion, sum[:8]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil
	}
	return cache
}

// layoutHere lays out in an instance of its own, so concurrent calls share
// nothing and whatever a failed layout leaves behind goes with its memory. It
// ends when ctx is done.
func layoutHere(ctx context.Context, dot []byte) (out []byte, err error) {
	var messages diagnostics
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
		if ctx.Err() != nil {
			out, err = nil, ctx.Err()
		} else if err != nil {
			// A trap's message goes on with a stack of wasm functions.
			msg, _, _ := strings.Cut(err.Error(), "\n")
			err = fmt.Errorf("graph layout: %s%s", msg, messages.firstError())
		}
	}()
	compiled := theModule
	if ctx.Done() != nil {
		compiled = endedModule
	}
	m, err := compiled()
	if err != nil {
		return nil, err
	}
	cfg := wazero.NewModuleConfig().WithName("").WithStartFunctions().WithStderr(&messages)
	mod, err := m.runtime.InstantiateModule(ctx, m.compiled, cfg)
	if err != nil {
		return nil, err
	}
	defer mod.Close(context.WithoutCancel(ctx))
	return (&instance{ctx: ctx, mod: mod}).layout(dot)
}

// diagnostics keeps the first few KiB of what the module, or a program, complains of.
type diagnostics struct{ head []byte }

func (d *diagnostics) Write(p []byte) (int, error) {
	d.head = append(d.head, p[:min(len(p), 4096-len(d.head))]...)
	return len(p), nil
}

// firstError returns the first line that is an error, or else the first, ready
// to be appended to a message.
func (d *diagnostics) firstError() string {
	lines := strings.Split(strings.TrimSpace(string(d.head)), "\n")
	for _, line := range lines {
		if text, ok := strings.CutPrefix(line, "Error:"); ok {
			return ": " + strings.TrimSpace(text)
		}
	}
	if lines[0] == "" {
		return ""
	}
	return ": " + lines[0]
}

// An instance calls the C API of one module instance. The first failure sticks:
// later calls return 0 and keep it.
type instance struct {
	ctx context.Context
	mod api.Module
	err error
}

func (in *instance) layout(dot []byte) ([]byte, error) {
	if init := in.mod.ExportedFunction("_initialize"); init != nil {
		in.call("_initialize")
	}
	in.growStack(stackBytes(dot))
	const agraphKind, agnodeKind, agedgeKind = 0, 1, 2

	gvc := in.call("gvContextPlugins", in.builtins(), 0)
	g := in.call("agmemread", in.cstring(dot))
	if in.err == nil && g == 0 {
		in.err = errors.New("the graph does not parse")
	}
	fontname, font := in.cstring([]byte("fontname")), in.cstring([]byte(layoutFont))
	for _, kind := range []uint64{agraphKind, agnodeKind, agedgeKind} {
		if in.call("agattr", g, kind, fontname, 0) == 0 {
			in.call("agattr", g, kind, fontname, font)
		}
	}
	nslimit := in.cstring([]byte("nslimit"))
	if in.call("agnnodes", g) > manyNodes && in.call("agattr", g, agraphKind, nslimit, 0) == 0 {
		in.call("agattr", g, agraphKind, nslimit, in.cstring([]byte("1")))
	}
	if in.call("gvLayout", gvc, g, in.cstring([]byte("dot"))) != 0 && in.err == nil {
		in.err = errors.New("no layout found")
	}
	data, size := in.alloc(4), in.alloc(4)
	if in.call("gvRenderData", gvc, g, in.cstring([]byte("json")), data, size) != 0 && in.err == nil {
		in.err = errors.New("the layout does not render")
	}
	if in.err != nil {
		return nil, in.err
	}
	out, ok := in.mod.Memory().Read(in.load(data), in.load(size))
	if !ok {
		return nil, errors.New("result outside of memory")
	}
	return bytes.Clone(out), nil
}

func (in *instance) call(name string, args ...uint64) uint64 {
	if in.err != nil {
		return 0
	}
	fn := in.mod.ExportedFunction(name)
	if fn == nil {
		in.err = fmt.Errorf("the module lacks %s", name)
		return 0
	}
	res, err := fn.Call(in.ctx, args...)
	if err != nil {
		in.err = err
		return 0
	}
	if len(res) == 0 {
		return 0
	}
	return res[0]
}

func (in *instance) alloc(size int) uint64 {
	p := in.call("malloc", uint64(size))
	if in.err == nil && p == 0 {
		in.err = errors.New("out of memory")
	}
	return p
}

func (in *instance) cstring(s []byte) uint64 {
	p := in.alloc(len(s) + 1)
	if in.err == nil && !in.mod.Memory().Write(uint32(p), append(bytes.Clone(s), 0)) {
		in.err = errors.New("out of memory")
	}
	return p
}

func (in *instance) load(p uint64) uint32 {
	v, ok := in.mod.Memory().ReadUint32Le(uint32(p))
	if !ok && in.err == nil {
		in.err = errors.New("pointer outside of memory")
	}
	return v
}

func (in *instance) store(p uint64, v uint32) {
	if in.err == nil && !in.mod.Memory().WriteUint32Le(uint32(p), v) {
		in.err = errors.New("pointer outside of memory")
	}
}

// growStack moves the C stack from its small place at link time into a block of
// the heap; see stackBytes.
func (in *instance) growStack(size int) {
	sp, ok := in.mod.ExportedGlobal(stackPointer).(api.MutableGlobal)
	if !ok {
		in.err = errors.New("the module's stack cannot be moved")
		return
	}
	if base := in.alloc(size); in.err == nil {
		sp.Set((base + uint64(size)) &^ 15)
	}
}

// builtins returns the plugin table gvContextPlugins wants: pairs of name and
// address, ended by a pair of zeros.
func (in *instance) builtins() uint64 {
	plugins := []string{"gvplugin_dot_layout_LTX_library", "gvplugin_core_LTX_library"}
	table := in.alloc(8 * (len(plugins) + 1))
	for i, name := range plugins {
		global := in.mod.ExportedGlobal(name)
		if global == nil {
			in.err = fmt.Errorf("the module lacks %s", name)
			return 0
		}
		in.store(table+uint64(8*i), uint32(in.cstring([]byte(name))))
		in.store(table+uint64(8*i)+4, uint32(global.Get()))
	}
	in.store(table+uint64(8*len(plugins)), 0)
	in.store(table+uint64(8*len(plugins))+4, 0)
	return table
}

const stackPointer = "__stack_pointer"

// exportStackPointer returns the WebAssembly binary with one more export: its
// global 0, which the C compiler uses as the stack pointer.
//
//	binary  = magic[4] version[4] section*
//	section = id[1] size[uvarint] content[size]
//	exports = count[uvarint] (len[uvarint] name[len] kind[1] index[uvarint])*   in section 7
func exportStackPointer(wasm []byte) ([]byte, error) {
	const exportSection, kindGlobal = 7, 3
	for at := 8; at < len(wasm); {
		id := wasm[at]
		size, n := binary.Uvarint(wasm[at+1:])
		start := at + 1 + n
		if n <= 0 || size > uint64(len(wasm)-start) {
			break
		}
		end := start + int(size)
		if id != exportSection {
			at = end
			continue
		}
		count, n := binary.Uvarint(wasm[start:end])
		if n <= 0 {
			break
		}
		exports := binary.AppendUvarint(nil, count+1)
		exports = append(exports, wasm[start+n:end]...)
		exports = append(exports, byte(len(stackPointer)))
		exports = append(exports, stackPointer...)
		exports = append(exports, kindGlobal, 0)

		out := make([]byte, 0, len(wasm)+64)
		out = append(out, wasm[:at]...)
		out = append(out, exportSection)
		out = binary.AppendUvarint(out, uint64(len(exports)))
		out = append(out, exports...)
		return append(out, wasm[end:]...), nil
	}
	return nil, errors.New("the module has no exports")
}
