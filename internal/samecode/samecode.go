// Package samecode tells whether the machine code that a benchmark can run is the
// same in two states of a program, whatever else of it changed, and which changed
// functions no benchmark can run.
//
// It reads what the compiler says of its output, -S: for every symbol the bytes and
// the relocations, which name other symbols. Files by subject: unit.go and names.go have
// what is read, list.go finds the packages that can differ, compile.go compiles them,
// listing.go reads the text, compare.go compares what a benchmark reaches, initializer.go
// what runs before it, program.go what every benchmark has, changed.go names functions.
// doc/design/0014 tells why it is done this way, and what is taken for granted.
//
// When in doubt, code differs.
package samecode

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Code is the code of test binaries in two states. It is for one goroutine.
type Code struct {
	programs map[string]*program // by import path of the package that is tested
}

// Load lists and compiles the tests of packages, as go test -c -trimpath would with
// the same flags. The base may lack packages.
func Load(ctx context.Context, baseState, headState State, flags, packages []string) (*Code, error) {
	flags, err := compileFlags(flags)
	if err != nil {
		return nil, err
	}
	names := newNames()
	var lists [2]map[string]*unit
	states := [2]State{base: baseState, head: headState}
	for s := range states {
		if err := checkSettings(ctx, states[s].Go); err != nil {
			return nil, err
		}
		if lists[s], err = list(ctx, &states[s], flags, packages); err != nil {
			return nil, err
		}
	}
	visible := visibleUnits(lists)
	for s := range states {
		if err := compile(ctx, states[s].Go, flags, packages, lists[s], visible, names); err != nil {
			return nil, err
		}
	}
	c := &Code{programs: make(map[string]*program)}
	for _, path := range packages {
		if p := newProgram(path, lists, visible, names); p != nil {
			c.programs[path] = p
		}
	}
	return c, nil
}

// compileFlags returns the flags that change what the compiler makes of a package.
// What sets flags of single packages would be replaced by those that this package
// sets, and an overlay or a profile changes packages that are taken to be the same.
func compileFlags(flags []string) ([]string, error) {
	kept := []string{"-trimpath", "-buildvcs=false"}
	for _, f := range flags {
		switch name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "="); name {
		case "tags", "mod", "modfile", "race", "msan", "asan":
			kept = append(kept, f)
		case "vet", "p", "ldflags": // of no concern to the compiler, and the same for both
		default:
			return nil, fmt.Errorf("%w: built with %s", ErrUnknown, f)
		}
	}
	return kept, nil
}

// checkSettings looks for such flags in go's own settings.
func checkSettings(ctx context.Context, run GoCommand) error {
	out, err := run(ctx, io.Discard, "env", "GOFLAGS")
	if err != nil {
		return err
	}
	for _, f := range strings.Fields(string(out)) {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-'\""), "=")
		if slices.Contains([]string{"gcflags", "overlay", "pgo", "cover", "covermode", "coverpkg", "toolexec", "compiler"}, name) {
			return fmt.Errorf("%w: GOFLAGS has %s", ErrUnknown, f)
		}
	}
	return nil
}

// Same reports whether all code that a benchmark function of a package can run is the
// same on both sides: itself, what it refers to, and what runs before it and leaves
// something behind that it can notice. If only something that belongs to every benchmark
// of the package differs, but says what.
func (c *Code) Same(pkg, function string) (same bool, but string) {
	p := c.programs[pkg]
	if p == nil {
		return false, ""
	}
	if p.differs == "" && len(p.units[base])+len(p.units[head]) == 0 {
		return true, "" // no file of it changed
	}
	b, h := p.benchmark(base, function), p.benchmark(head, function)
	if b < 0 || b != h || !p.same(b) {
		return false, ""
	}
	return p.differs == "", p.differs
}
