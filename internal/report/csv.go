package report

import (
	"encoding/csv"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The CSV of all reports has values in the profile's unit, which a column
// names, and names as they are, so that they can be joined with other tables.
// The exception is a name that a spreadsheet would take for a formula.

// WriteCSV writes rows for programs and spreadsheets. A spreadsheet takes a cell that begins
// with "=", "+", "-" or "@" for a formula, which can run programs and send the other cells
// away: what is no number gets an apostrophe in front, the spreadsheets' own sign for text.
func WriteCSV(w io.Writer, rows iter.Seq[[]string]) error {
	cw := csv.NewWriter(w)
	for row := range rows {
		if slices.ContainsFunc(row, isFormula) {
			row = slices.Clone(row)
			for i, cell := range row {
				if isFormula(cell) {
					row[i] = "'" + cell
				}
			}
		}
		if err := cw.Write(row); err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}

// isFormula reports whether spreadsheets take a cell for a formula. They skip white space in
// front, and some take the wide forms of the signs as well.
func isFormula(cell string) bool {
	text := strings.TrimLeftFunc(cell, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) })
	if r, _ := utf8.DecodeRuneInString(text); !strings.ContainsRune("=+-@＝＋－＠", r) {
		return false
	}
	_, err := strconv.ParseFloat(cell, 64)
	return err != nil
}

// writeCSV writes a header, given as its names separated by commas, and rows.
func writeCSV(w io.Writer, header string, rows func(row func(...string))) error {
	return WriteCSV(w, func(yield func([]string) bool) {
		more := yield(strings.Split(header, ","))
		rows(func(cells ...string) { more = more && yield(cells) })
	})
}

func decimal(v int64) string { return strconv.FormatInt(v, 10) }

// csvPercent prints a share of the total, in percent.
func csvPercent(q Quantity) string { return strconv.FormatFloat(q.Percent, 'g', 6, 64) }

// cells returns a place as name, file, line, column and address; numbers that
// are unknown are empty.
func (p *Place) cells() []string {
	number := func(v uint64, prefix string, base int) string {
		if v == 0 {
			return ""
		}
		return prefix + strconv.FormatUint(v, base)
	}
	name := p.Func
	if name == "" {
		name = p.Name
	}
	return []string{name, p.File, number(uint64(p.Line), "", 10), number(uint64(p.Column), "", 10), number(p.Address, "0x", 16)}
}

const csvPlace = "name,file,line,column,address"

// WriteCSV writes the rows below a header, values in the profile's unit. See
// the package's csv.go for names and spreadsheets.
func (t *Top) WriteCSV(w io.Writer) error {
	return writeCSV(w, csvPlace+",unit,flat,flat_percent,sum,sum_percent,cum,cum_percent,inline", func(row func(...string)) {
		for i := range t.Rows {
			r := &t.Rows[i]
			row(append(r.cells(), t.Unit, decimal(r.Flat.Value), csvPercent(r.Flat), decimal(r.Sum.Value), csvPercent(r.Sum),
				decimal(r.Cum.Value), csvPercent(r.Cum), r.Inline)...)
		}
	})
}

// WriteCSV writes a line for each row, and one for each of its callers and
// callees, below a header. Column relation says which it is: "" for the row
// itself, whose weight is empty, "caller" or "callee" of the row above. A
// caller's or callee's weight_percent is of the row's cum.
func (t *Tree) WriteCSV(w io.Writer) error {
	return writeCSV(w, "row,relation,"+csvPlace+",unit,flat,flat_percent,cum,cum_percent,weight,weight_percent,inline", func(row func(...string)) {
		for i := range t.Rows {
			r := &t.Rows[i]
			number := strconv.Itoa(i + 1)
			calls := func(relation string, calls []Call) {
				for k := range calls {
					c := &calls[k]
					inline := ""
					if c.Inline {
						inline = "inline"
					}
					cells := append([]string{number, relation}, c.cells()...)
					row(append(cells, t.Unit, "", "", "", "", decimal(c.Weight.Value), strconv.FormatFloat(c.Share, 'g', 6, 64), inline)...)
				}
			}
			cells := append([]string{number, ""}, r.cells()...)
			row(append(cells, t.Unit, decimal(r.Flat.Value), csvPercent(r.Flat), decimal(r.Cum.Value), csvPercent(r.Cum), "", "", "")...)
			calls("caller", r.Callers)
			calls("callee", r.Callees)
		}
	})
}

// WriteCSV writes a line for each value of each key, below a header.
func (t *Tags) WriteCSV(w io.Writer) error {
	return writeCSV(w, "key,value,unit,sum,sum_percent", func(row func(...string)) {
		for i := range t.Keys {
			for _, v := range t.Keys[i].Values {
				row(t.Keys[i].Key, v.Value, t.Unit, decimal(v.Sum.Value), csvPercent(v.Sum))
			}
		}
	})
}
