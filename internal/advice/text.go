package advice

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
)

// WriteText writes a report for people: what is worth doing first, then each finding that is shown with its
// place, what it costs, why, and the rewrite. dir is the folder that paths are shown from.
func (r *Report) WriteText(w io.Writer, dir string) error {
	var b strings.Builder
	shown := r.Shown()
	for _, name := range r.Changed {
		fmt.Fprintf(&b, "%s has changed since the profile was taken: profile again with hone advise ./...\n", onOneLine(relative(dir, name)))
	}
	if len(r.Findings) == 0 {
		fmt.Fprintf(&b, "No findings in %s.\n", count(len(r.Packages), "package"))
	} else {
		r.summaryText(&b, dir)
		for i := range shown {
			shown[i].text(&b, dir)
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s, %d with a rewrite, in %s\n", count(len(shown), "finding"), rewrites(shown), count(len(r.Packages), "package"))
		r.together(&b)
	}
	if more := r.more(); more != "" {
		fmt.Fprintf(&b, "hone advise -all also shows %s\n", more)
	}
	for _, u := range r.Unexamined {
		fmt.Fprintf(&b, "not examined: %s\n", onOneLine(u))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Shown are the findings that are shown if not everything is asked for.
func (r *Report) Shown() []Finding {
	shown := make([]Finding, 0, len(r.Findings))
	for _, f := range r.Findings {
		if f.Shown() {
			shown = append(shown, f)
		}
	}
	return shown
}

// more is what isn't shown, in words: "2 findings that gain less than 1 % and 3 hot lines".
func (r *Report) more() string {
	little := 0
	for i := range r.Findings {
		if r.Findings[i].Little {
			little++
		}
	}
	var parts []string
	if little > 0 {
		parts = append(parts, count(little, "finding")+" below 1 %")
	}
	if r.HotLines > 0 {
		parts = append(parts, count(r.HotLines, "more hot line")+" without a finding")
	}
	return strings.Join(parts, " and ")
}

// together says what the findings of a subject cover together, if there are several, for the three
// subjects where that is most. Where they overlap, their shares add up to more, and that is said.
func (r *Report) together(b *strings.Builder) {
	of := make(map[string]int)
	sum := make(map[string]float64)
	for _, f := range r.Findings {
		if f.Class == Look || f.File == "" || !f.Shown() {
			continue
		}
		if f.Evidence.CPU != nil {
			sum[f.Evidence.Subject] += f.Evidence.CPU.Share
		}
		for _, s := range f.Evidence.Subjects {
			of[s]++
		}
	}
	var subjects []string
	for s, share := range r.Together {
		if of[s] > 1 && share >= 0.01 {
			subjects = append(subjects, s)
		}
	}
	slices.SortFunc(subjects, func(x, y string) int {
		return cmp.Or(cmp.Compare(r.Together[y], r.Together[x]), strings.Compare(x, y))
	})
	for _, s := range subjects[:min(3, len(subjects))] {
		overlap := ""
		if sum[s] > r.Together[s]+0.005 {
			overlap = "; some of it belongs to several findings"
		}
		fmt.Fprintf(b, "all findings together: %.0f %% of the CPU time of %s, apart from garbage collection%s\n", 100*r.Together[s], s, overlap)
	}
}

func rewrites(all []Finding) int {
	n := 0
	for _, f := range all {
		if f.Fix != nil {
			n++
		}
	}
	return n
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// onOneLine keeps a text on one line: file names may contain newlines.
func onOneLine(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\n", `\n`), "\r", `\r`)
}

func (f *Finding) text(b *strings.Builder, dir string) {
	place := f.Place(dir)
	line := func(format string, args ...any) { b.WriteString(onOneLine(fmt.Sprintf(format, args...)) + "\n") }
	line("%s  %s (class %s)", f.ID, f.Title, f.Class)
	if place != "" {
		if f.Function != "" {
			place += " in " + f.Function
		}
		line("    %s  %s", place, f.Text)
	}
	if callers := callersText(f.Evidence.Callers, dir, maxNamedCallers); callers != "" {
		for _, text := range wrap("called from "+callers, 100) {
			line("    %s", text)
		}
	}
	for _, text := range f.Costs() {
		line("    %s", text)
	}
	for _, text := range wrap(f.Why, 100) {
		line("    %s", text)
	}
	for _, fact := range f.Facts {
		for _, text := range wrap("also known: "+fact, 100) {
			line("    %s", text)
		}
	}
	for _, c := range f.Caveats {
		line("    but: %s", c)
	}
	for _, text := range f.alsoText() {
		line("    %s", text)
	}
	switch f.Try {
	case BySetting:
		line("    hone fix %s    measures garbage collector settings; changes no files", f.ID)
	case ByProfile:
		line("    hone fix %s    measures the gain and keeps the profile if benchmarks are faster", f.ID)
	}
	if f.Fix == nil {
		switch {
		case f.Class == Look:
			line("    no rule reports this line; see hone advise -explain %s", f.Rule)
		case f.Try == "":
			line("    no rewrite here; see hone advise -explain %s", f.Rule)
		}
		return
	}
	for _, text := range f.Fix.text(dir) {
		line("        %s", text)
	}
	hint := ""
	if f.Class == Review {
		hint = " (review the change)"
	}
	line("    hone fix %s    tests it and keeps it if it is faster%s", f.ID, hint)
}

// Place is the file and line of a finding, relative to a folder.
func (f *Finding) Place(dir string) string {
	if f.File == "" {
		return f.Package
	}
	return shownFrom(dir, f.File, f.Line)
}

// alsoText names other findings on the line, one a line, and those of the rule elsewhere in the function.
func (f *Finding) alsoText() (lines []string) {
	var places []string
	for _, a := range f.Also {
		if a.Title == "" {
			cost := ""
			if a.Cost != "" {
				cost = ", " + a.Cost
			}
			places = append(places, fmt.Sprintf("line %d (%s%s)", a.Line, a.ID, cost))
			continue
		}
		text := "also: " + a.Title
		if a.Most != "" {
			text += ", " + a.Most
		}
		lines = append(lines, text+" ("+a.ID+")")
	}
	if len(places) > 0 {
		lines = append(lines, wrap("also: in this function "+strings.Join(places, ", "), 100)...)
	}
	return lines
}

func shownFrom(dir, file string, line int) string {
	return fmt.Sprintf("%s:%d", shownFile(dir, file), line)
}

func shownFile(dir, file string) string { return filepath.ToSlash(relative(dir, file)) }

// relative is a file's name from a folder, if it is below that.
func relative(dir, file string) string {
	if rel, err := filepath.Rel(dir, file); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return file
}

// maxNamedCallers is how many callers are named in text: more distract from the line.
const maxNamedCallers = 2

// callersText is "F (a.go:7), G (b.go:8, 30 %, for H (c.go:9))": the callers of a function, and their
// callers if they only pass the call on; up to a number in all.
func callersText(callers []Caller, dir string, most int) string {
	return nameCallers(callers, dir, &most)
}

func nameCallers(callers []Caller, dir string, left *int) string {
	var all []string
	for _, c := range callers {
		if *left == 0 {
			break
		}
		*left--
		at := shownFrom(dir, c.File, c.Line)
		if c.Share < 0.995 {
			at += fmt.Sprintf(", %.0f %%", 100*c.Share)
		}
		if above := nameCallers(c.Callers, dir, left); above != "" {
			at += ", for " + above
		}
		all = append(all, fmt.Sprintf("%s (%s)", c.Function, at))
	}
	return strings.Join(all, ", ")
}

// Costs says in lines what profiles show for the place, and the limit of the gain.
func (f *Finding) Costs() []string {
	e := &f.Evidence
	parts := e.parts()
	lines := []string{}
	if len(parts) > 0 {
		text := "cost: " + strings.Join(parts, ", ")
		if e.Subject != "" {
			text += " of " + e.Subject
			if n := len(e.Subjects); n > 1 {
				text += fmt.Sprintf(" (and %d more)", n-1)
			}
		}
		lines = append(lines, text)
	}
	if bound := f.Bound.String(); bound != "" {
		lines = append(lines, "gain: "+bound)
	}
	if len(e.Ladder) > 3 {
		var sizes []string
		for _, s := range e.Ladder[:min(len(e.Ladder), 6)] {
			sizes = append(sizes, fmt.Sprint(s.Bytes))
		}
		lines = append(lines, fmt.Sprintf("allocates blocks of %s bytes …: something grows", strings.Join(sizes, ", ")))
	}
	for _, c := range e.Compiler {
		lines = append(lines, "compiler: "+c)
	}
	return lines
}

// parts are the costs, each as "12.3 % of the CPU time".
func (e *Evidence) parts() (parts []string) {
	add := func(s *Share, of string) {
		if s != nil && s.Share >= 0.0005 {
			parts = append(parts, fmt.Sprintf("%.1f %% of %s", 100*s.Share, of))
		}
	}
	add(e.CPU, "the CPU time")
	add(e.Bytes, "the bytes allocated")
	if e.Bytes == nil || e.Objects != nil && e.Objects.Share > 2*e.Bytes.Share {
		add(e.Objects, "the allocations")
	}
	add(e.Mutex, "the waiting for locks")
	add(e.Block, "the time blocked")
	if e.Live != nil {
		parts = append(parts, e.liveText())
	}
	return parts
}

// String is "at most 3.6 times as fast (70.1 ±2.1 % of the time)". What collecting garbage
// has of that is said apart, so that the reader finds the cost of the line again.
func (b Bound) String() string {
	if b.Live > 0 {
		return "at most " + b.liveText()
	}
	if b.Time < 0.0005 {
		return ""
	}
	margin := ""
	if b.Error > 0 {
		margin = fmt.Sprintf(" ±%.1f", 100*b.margin())
	}
	gain, of := "at most "+times(b.Speedup), " of the time"
	switch {
	case b.Speedup == 0 || b.Speedup > 100:
		gain, of = "up to nearly all of the time", ""
	case b.Time < 0.005:
		gain = "hardly any"
	}
	parts := ""
	if gc := tenths(b.Time) - tenths(b.Time-b.GC); gc > 0 {
		parts = fmt.Sprintf(": %.1f %% here, %.1f %% collecting its garbage", 100*(b.Time-b.GC), gc)
	}
	return fmt.Sprintf("%s (%.1f%s %%%s%s)", gain, 100*b.Time, margin, of, parts)
}

// liveText is "42.1 % of the heap in use (1.2 GiB in 410000 objects)".
func (e *Evidence) liveText() string {
	return fmt.Sprintf("%.1f %% of the heap in use (%s in %s)", 100*e.Live.Share, BytesText(e.Live.Value), count(int(e.LiveObjects.Value), "object"))
}

// liveText is "8.3 % less heap in use (240 MiB)".
func (b *Bound) liveText() string {
	return fmt.Sprintf("%.1f %% less heap in use (%s)", 100*b.Live, BytesText(b.LiveBytes))
}

// BytesText is a number of bytes for people: "1.5 KiB".
func BytesText(n int64) string {
	switch {
	case n >= 1000<<20:
		return fmt.Sprintf("%.3g GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.3g MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.4g KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// times is a gain in words. Above ten, the error of a bound is larger than its fraction.
func times(speedup float64) string {
	if speedup >= 9.995 {
		return fmt.Sprintf("%.0f times as fast", speedup)
	}
	return fmt.Sprintf("%.3g times as fast", speedup)
}

// tenths is a share in percent as it is printed.
func tenths(share float64) float64 { return math.Round(1000*share) / 10 }

// text is what changes in the finding's file, then in others, which are named. Of new files it has the length only.
func (f *Fix) text(dir string) (lines []string) {
	bodies := diffBodies(f.Diff)
	for i, c := range f.Files {
		switch {
		case c.New:
			lines = append(lines, fmt.Sprintf("and adds %s (%d lines)", shownFile(dir, c.File), bytes.Count(c.After, []byte("\n"))))
			continue
		case i > 0:
			lines = append(lines, "and in "+shownFile(dir, c.File))
		}
		if i < len(bodies) {
			lines = append(lines, bodies[i]...)
		}
	}
	return lines
}

// diffBodies is the diff of each file, without file names.
func diffBodies(diff string) (files [][]string) {
	lines := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ ") {
			files = append(files, nil)
			i++
		} else if len(files) > 0 {
			files[len(files)-1] = append(files[len(files)-1], lines[i])
		}
	}
	return files
}

// wrap breaks a text into lines.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// WriteGitHub writes findings as the workflow commands that annotate a pull request:
//
//	::warning file=a.go,line=7,title=a regular expression …::70 % of the time …
//
// What is only known about a hot line is a notice.
func (r *Report) WriteGitHub(w io.Writer, dir string) error {
	var b strings.Builder
	for _, f := range r.Shown() {
		name, err := filepath.Rel(dir, f.File)
		if err != nil || f.File == "" {
			continue
		}
		text := strings.Join(append(slices.Clone(f.Costs()), f.Why), "\n")
		if f.Fix != nil || f.Try != "" {
			text += "\nhone fix " + f.ID
		}
		level := "warning"
		if f.Class == Look {
			level = "notice"
		}
		fmt.Fprintf(&b, "::%s file=%s,line=%d,title=%s::%s\n", level, property(filepath.ToSlash(name)), f.Line, property(f.Title), data(text))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// data and property escape characters with a meaning in GitHub's workflow commands.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
