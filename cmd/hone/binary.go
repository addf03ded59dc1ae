package main

import (
	"context"
	"regexp"
	"sync"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/internal/symbol"
	"github.com/hone-go/hone/profile"
)

// binary is an executable as it is mapped into a process, for reports.
type binary struct {
	*symbol.File
	base uint64
}

func openBinary(m *profile.Mapping) (report.Binary, error) {
	return mapped(m, func(m *profile.Mapping) (*symbol.File, error) { return symbol.Open(m.File) })
}

func mapped(m *profile.Mapping, open func(*profile.Mapping) (*symbol.File, error)) (report.Binary, error) {
	f, err := open(m)
	if err != nil {
		return nil, err
	}
	return &binary{f, f.Base(m.Start, m.Limit, m.Offset)}, nil
}

func (b *binary) ObjAddr(addr uint64) uint64 { return addr - b.base }

func (b *binary) Symbols(re *regexp.Regexp, addr uint64) ([]report.Symbol, error) {
	syms, err := b.File.Symbols(re, addr)
	out := make([]report.Symbol, len(syms))
	for i, s := range syms {
		out[i] = report.Symbol(s)
	}
	return out, err
}

func (b *binary) Disasm(start, end uint64, intel bool) ([]report.Inst, error) {
	insts, err := b.File.Disasm(start, end, intel)
	out := make([]report.Inst, len(insts))
	for i, in := range insts {
		out[i] = report.Inst(in)
	}
	return out, err
}

func (b *binary) Frames(addr uint64) ([]report.Frame, error) {
	frames, err := b.File.Frames(addr - b.base)
	out := make([]report.Frame, len(frames))
	for i, f := range frames {
		out[i] = report.Frame{Function: f.Function, File: f.File, Line: f.Line}
	}
	return out, err
}

// reportEnv gives reports access to the outside, until ctx is done.
func reportEnv(ctx context.Context, a *app, o report.Options) report.Env {
	source := sync.OnceValue(func() *srcfind.Finder {
		return srcfind.New(srcfind.Config{SearchPath: o.SourcePath, TrimPath: o.TrimPath})
	})
	return report.Env{
		Context: ctx,
		Warn: func(w report.Warning) {
			if w.Unlike {
				w.Text = "hone: " + w.Text // it isn't part of what go tool pprof prints
			}
			a.warn(w.Text)
		},
		Text:   func(file string) (*srcfind.Text, error) { return source().Find(file) },
		Binary: openBinary,
		Compat: a.compat,
	}
}
