package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/pgo"
)

// pgoJSON is the output of hone pgo -json.
type pgoJSON struct {
	File    string          `json:"file"`
	Changed bool            `json:"changed"`
	Before  *pgo.Summary    `json:"before,omitempty"`
	After   *pgo.Summary    `json:"after"`
	Fresh   *pgo.Freshness  `json:"fresh"`
	Verify  json.RawMessage `json:"verify,omitempty"` // the output of hone bench -against -json
	Overall *pgo.Overall    `json:"overall,omitempty"`
}

// tellPGO prints what was made, what is new, and how fresh it is, and with next how to use it.
func tellPGO(w io.Writer, out *pgoJSON, module pgo.Module, next bool) error {
	var b bytes.Buffer
	tellMade(&b, out)
	tellFresh(&b, out.Fresh, module)
	if next {
		tellPGONext(&b, module, out.File)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// tellMade prints what was made, and what is new.
func tellMade(w io.Writer, out *pgoJSON) {
	switch {
	case out.Before == nil && !out.Changed:
		fmt.Fprintf(w, "%s\n  is   %s\n", compare.Printable(out.File), summaryText(out.After))
	case out.Before == nil:
		fmt.Fprintf(w, "%s, new\n  now  %s\n", compare.Printable(out.File), summaryText(out.After))
	case !out.Changed:
		fmt.Fprintf(w, "%s, not changed\n  is   %s\n", compare.Printable(out.File), summaryText(out.After))
	default:
		fmt.Fprintf(w, "%s, replaced\n  was  %s\n  now  %s\n", compare.Printable(out.File), summaryText(out.Before), summaryText(out.After))
	}
	const parts = 10
	for i, p := range out.After.Parts {
		if i == parts {
			fmt.Fprintf(w, "  … and %d more\n", len(out.After.Parts)-parts)
			break
		}
		fmt.Fprintf(w, "  %5.1f %%  %s, %s\n", 100*p.Weight, compare.Printable(strings.TrimSpace(p.Source+" "+p.Version)), compare.Counted(int(p.Samples), "sample"))
	}
}

// tellFresh prints how much of the profile the source still has.
func tellFresh(w io.Writer, fresh *pgo.Freshness, module pgo.Module) {
	if fresh.Calls == 0 {
		fmt.Fprintf(w, "fresh: unknown, because the profile has no hot call in functions of %s\n", module.Path)
		return
	}
	fmt.Fprintf(w, "fresh %.0f %%, based on %s in functions of %s, which have %.0f %% of the weight of all calls\n", 100*fresh.Share, compare.Counted(fresh.Calls, "hot call"), module.Path, 100*fresh.Own)
	const most = 5
	for i, c := range fresh.Gone {
		if i == most {
			fmt.Fprintf(w, "  … and %d more\n", len(fresh.Gone)-most)
			break
		}
		fmt.Fprintf(w, "  gone  %4.1f %%  %s +%d calls %s: %s\n", 100*c.Weight, compare.Printable(c.Caller), c.Offset, compare.Printable(c.Callee), c.Why)
	}
}

// summaryText is "12.3 kB, 1234 stacks of 567 functions, from api v1, api v2".
func summaryText(s *pgo.Summary) string {
	text := fmt.Sprintf("%.1f kB, %s of %s", float64(s.Bytes)/1000, compare.Counted(s.Stacks, "stack"), compare.Counted(s.Functions, "function"))
	if sources, versions := s.Names(); len(sources) > 0 {
		const most = 4
		names := sources
		if len(sources) == 1 && len(versions) > 0 {
			names = nil
			for _, v := range versions {
				names = append(names, sources[0]+" "+v)
			}
		}
		if len(names) > most {
			names = append(names[:most:most], fmt.Sprintf("%d more", len(names)-most))
		}
		text += ", from " + compare.Printable(strings.Join(names, ", "))
	}
	return text
}

// tellPGONext prints how to use the profile.
func tellPGONext(w io.Writer, module pgo.Module, file string) {
	use := "go build uses it automatically; commit it with the source"
	if !module.Uses(file) {
		use = "go build -pgo=" + compare.CommandLine([]string{file}) + " uses it"
	}
	fmt.Fprintf(w, "\n%s\n", use)
	verify := "hone pgo -verify ./..."
	if filepath.Base(file) != pgo.FileName || filepath.Dir(file) != "." {
		verify += " -o " + compare.CommandLine([]string{file})
	}
	fmt.Fprintf(w, "  %s\n", verify)
}

// tellVerified prints the report of a comparison, and its mean.
func tellVerified(w io.Writer, report []byte, file string, overall *pgo.Overall) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "\n%s", report)
	switch {
	case overall == nil:
	case overall.Benchmarks == 0:
		fmt.Fprintf(&b, "\ntoo few samples for the confidence interval of a geometric mean: use -count 6 or more\n")
	default:
		fmt.Fprintf(&b, "\nwith the profile %s: time of %s, geometric mean %+.1f %%, [%+.1f %%, %+.1f %%]\n",
			compare.Printable(file), compare.Counted(overall.Benchmarks, "benchmark"), 100*(overall.Ratio-1), 100*(overall.Lo-1), 100*(overall.Hi-1))
	}
	_, err := w.Write(b.Bytes())
	return err
}
