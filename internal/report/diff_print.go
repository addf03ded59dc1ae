package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// WriteText prints the comparison as a table.
func (d *Diff) WriteText(w io.Writer) error {
	bw := bufio.NewWriter(w)
	fmt.Fprintf(bw, "Type: %s\n", oneLine(printable(d.Type)))
	total := DiffValue{Base: d.BaseTotal, Head: d.HeadTotal, Delta: d.HeadTotal - d.BaseTotal}
	if total.Base != 0 {
		r := float64(total.Delta) / float64(total.Base)
		total.Relative = &r
	}
	fmt.Fprintf(bw, "Base: %s total%s\n", d.BaseText, perRun(d.BaseRuns))
	fmt.Fprintf(bw, "Head: %s total%s, %s\n", d.HeadText, perRun(d.HeadRuns), relativeText(&total))
	if d.Normalized {
		fmt.Fprintf(bw, "Normalized: values are scaled to a total of %s\n", d.HeadText)
	}
	if d.Tested > 0 {
		tests := "one test"
		if d.Tested > 1 {
			tests = fmt.Sprintf("%d tests", d.Tested)
		}
		fmt.Fprintf(bw, "Significance: Mann-Whitney U test of %s, Holm's correction for %s; ~ is not significant at %g\n", d.Sort, tests, diffAlpha)
	}
	for _, warning := range d.Warnings {
		fmt.Fprintf(bw, "Warning: %s\n", oneLine(warning))
	}
	order := d.Sort
	if order == "cum" {
		order += ", causes before callers"
	}
	fmt.Fprintf(bw, "Showing %d of %d functions, by change of %s\n", len(d.Rows), d.Functions, order)

	header := []string{"flat base", "head", "delta", "change", "cum base", "head", "delta", "change"}
	if d.Tested > 0 {
		header = append(header, "p")
	}
	table := [][]string{header}
	for i := range d.Rows {
		row := &d.Rows[i]
		var cells []string
		for _, v := range []*DiffValue{&row.Flat, &row.Cum} {
			cells = append(cells, v.BaseText, v.HeadText, v.DeltaText, relativeText(v))
		}
		if d.Tested > 0 {
			cells = append(cells, row.Test.text())
		}
		table = append(table, cells)
	}
	widths := make([]int, len(header))
	for _, cells := range table {
		for i, c := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	for i, cells := range table {
		for j, c := range cells {
			fmt.Fprintf(bw, "%*s  ", widths[j], c)
		}
		name := ""
		if i > 0 {
			name = d.Rows[i-1].label(d.Granularity)
		}
		fmt.Fprintf(bw, "%s\n", oneLine(printable(name)))
	}
	return bw.Flush()
}

func perRun(runs int) string {
	if runs == 1 {
		return ""
	}
	return fmt.Sprintf(" (mean of %d runs)", runs)
}

func relativeText(v *DiffValue) string {
	switch {
	case v.Base == 0 && v.Head == 0:
		return ""
	case v.Base == 0:
		return "new"
	case v.Head == 0:
		return "gone"
	}
	return fmt.Sprintf("%+.2f%%", 100**v.Relative)
}

func (t *DiffTest) text() string {
	switch {
	case t == nil:
		return "-"
	case !t.Significant:
		return fmt.Sprintf("~ %.3f", t.Holm)
	}
	return fmt.Sprintf("%.3f", t.Holm)
}

// label names the row the way other reports do.
func (r *DiffRow) label(granularity string) string {
	switch {
	case r.Line > 0:
		return fmt.Sprintf("%s %s:%d", r.Name, r.File, r.Line)
	case granularity == "functions" || granularity == "files" || r.File == "":
		return r.Name
	}
	return r.Name + " " + r.File
}

// WriteJSON prints the comparison as one JSON object.
func (d *Diff) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

// WriteCSV prints the rows, in the unit of the profile, below a header.
func (d *Diff) WriteCSV(w io.Writer) error {
	const header = "name,file,line,unit,base_flat,head_flat,delta_flat,relative_flat,base_cum,head_cum,delta_cum,relative_cum,new,gone,p,p_holm,significant"
	return writeCSV(w, header, func(row func(...string)) {
		for i := range d.Rows {
			row(d.Rows[i].cells(d.Unit)...)
		}
	})
}

// cells returns the row as CSV.
func (r *DiffRow) cells(unit string) []string {
	record := []string{r.Name, r.File, strconv.FormatInt(r.Line, 10), unit}
	for _, v := range []*DiffValue{&r.Flat, &r.Cum} {
		record = append(record, strconv.FormatInt(v.Base, 10), strconv.FormatInt(v.Head, 10), strconv.FormatInt(v.Delta, 10))
		if v.Relative == nil {
			record = append(record, "")
		} else {
			record = append(record, strconv.FormatFloat(*v.Relative, 'g', 6, 64))
		}
	}
	record = append(record, strconv.FormatBool(r.New), strconv.FormatBool(r.Gone))
	if t := r.Test; t != nil {
		record = append(record, strconv.FormatFloat(t.P, 'g', 4, 64), strconv.FormatFloat(t.Holm, 'g', 4, 64), strconv.FormatBool(t.Significant))
	} else {
		record = append(record, "", "", "")
	}
	return record
}
