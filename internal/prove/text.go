package prove

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/differ"
)

// Write prints a proof for people.
func (p *Proof) Write(w io.Writer) error {
	var b bytes.Buffer
	for i := range p.Candidates {
		p.Candidates[i].write(&b)
	}
	for i := range p.Between {
		b.WriteString("\n")
		p.Between[i].write(&b)
	}
	if len(p.Candidates) > 1 {
		switch {
		case p.Best != "":
			fmt.Fprintf(&b, "\nBest: %s.\n", compare.Printable(p.Best))
		default:
			b.WriteString("\nNone is right, faster than the base, and faster than the others.\n")
		}
	}
	fmt.Fprintf(&b, "\nBase: %s (%.12s). Took %v.\n", compare.Printable(p.Base), p.Commit, seconds(p.Seconds))
	_, err := w.Write(b.Bytes())
	return err
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Second)
}

// line prints an indented line.
func line(b *bytes.Buffer, format string, args ...any) {
	fmt.Fprintf(b, "    %s\n", compare.Printable(fmt.Sprintf(format, args...)))
}

func (c *Candidate) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "%s, %s  %s\n", c.State, c.Measurement.verdict(), compare.Printable(c.Name))
	line(b, "%s", c.Why)
	for text := range strings.Lines(c.Output) {
		line(b, "    %s", strings.ReplaceAll(strings.TrimRight(text, "\r\n"), "\t", "    "))
	}
	if places := c.notExecuted(); len(places) > 0 {
		line(b, "no test executes %s", few(places))
	}
	for _, note := range c.Notes {
		line(b, "%s", note)
	}
	if c.State == Wrong {
		return // nothing was measured
	}
	writeCompared(b, c.Compared)
	c.Measurement.write(b)
	for _, w := range c.Written {
		line(b, "written from tests for this: %s in %s; hone advise -gen -write %s keeps such benchmarks", few(w.Benchmarks), w.Package, w.Package)
	}
}

// writeCompared says how far results were compared.
func writeCompared(b *bytes.Buffer, c *differ.Compared) {
	if c == nil {
		return
	}
	for i, d := range c.Differences {
		if i > 0 { // the verdict has the first
			line(b, "also %s", d)
		}
	}
	if c.Calls > 0 && len(c.Differences) == 0 {
		line(b, "%d calls with generated inputs return the same as on the base: %s", c.Calls, few(c.Functions))
	}
	if c.Why != "" {
		line(b, "results weren't compared with the base's: %s", c.Why)
	}
}

// notExecuted are the places of changed statements that no test executes.
func (c *Candidate) notExecuted() (places []string) {
	for i := range c.Functions {
		f := &c.Functions[i]
		for _, n := range f.NotExecuted {
			places = append(places, fmt.Sprintf("%s:%d", path.Base(f.File), n))
		}
	}
	return places
}

func (p *Pair) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "%s  %s, compared with %s\n", p.Measurement.verdict(), compare.Printable(p.Second), compare.Printable(p.First))
	p.Measurement.write(b)
}

// verdict is "faster, fewer allocations".
func (m *Measurement) verdict() string {
	if m.Allocations == "" || m.Allocations == "same" {
		return string(m.Speed)
	}
	return fmt.Sprintf("%s, %s allocations", m.Speed, m.Allocations)
}

func (m *Measurement) write(b *bytes.Buffer) {
	line(b, "%s", m.How)
	for _, c := range m.Changes {
		if c.Unit == "B/op" || c.Unit == "allocs/op" {
			if c.Before != c.After {
				line(b, "%s %s → %s %s, %s", c.Benchmark, compare.Tidied(c.Before, c.Unit), compare.Tidied(c.After, c.Unit), c.Unit, c.Verdict)
			}
		}
	}
	if m.Allocations == "same" {
		line(b, "allocations: no change")
	}
	for _, f := range m.Moved {
		if f.Unit == "sec/op" {
			line(b, "%s: %s %s sec/op", f.Benchmark, f.Function, signed(f.Change, f.Unit))
		}
	}
	if len(m.NotBenchmarked) > 0 {
		line(b, "no benchmark executes %s", few(m.NotBenchmarked))
	}
	for _, f := range m.Failures {
		line(b, "could not be measured: %s %s: %s", f.Package, f.Benchmark, f.What)
	}
	for _, w := range m.Warnings {
		line(b, "%s", w)
	}
	if m.Run == "" {
		return
	}
	noise := ""
	if m.Noise > 0 {
		noise = fmt.Sprintf("; the same code differs by %.1f %% per pair", 100*m.Noise)
	}
	line(b, "measured for %v%s: hone compare %s", seconds(m.Seconds), noise, m.Run)
}

// signed is a change in a unit.
func signed(v float64, unit string) string {
	if v < 0 {
		return "−" + compare.Tidied(-v, unit)
	}
	return "+" + compare.Tidied(v, unit)
}
