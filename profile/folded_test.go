package profile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// foldedString renders p's samples root first, for comparison.
func foldedString(p *Profile) string {
	var b strings.Builder
	for s := range p.NumSamples() {
		stack := p.Stack(s)
		for i := len(stack) - 1; i >= 0; i-- {
			name := "?"
			if lines := p.LocationLines(stack[i]); len(lines) > 0 {
				name = p.FunctionName(lines[0].Function)
			}
			b.WriteString(name)
			if i > 0 {
				b.WriteByte(';')
			}
		}
		for t := range p.Values {
			fmt.Fprintf(&b, " %d", p.Values[t][s])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestParseFolded(t *testing.T) {
	long := strings.Repeat("deep;", 40_000)
	for _, tt := range []struct {
		name, in, want string
	}{
		{"simple", "main;a;b 3\nmain;a 4\n", "main;a;b 3\nmain;a 4\n"},
		{"no newline at the end", "main;a 3", "main;a 3\n"},
		{"CRLF and blank lines", "main;a 3\r\n\r\n  \nmain 1\r\n", "main;a 3\nmain 1\n"},
		{"comments", "# head\nmain;a 3\n #tail\n", "main;a 3\n"},
		{"equal stacks are added", "a;b 1\nc 5\na;b 2\n", "a;b 3\nc 5\n"},
		{"fractions are rounded", "a;b 1.5\na;c 0.4\na;d 2e3\n", "a;b 2\na;c 0\na;d 2000\n"},
		{"negative", "a;b -7\n", "a;b -7\n"},
		{"blanks in names", "java lang;operator new (int) 12\n", "java lang;operator new (int) 12\n"},
		{"tab before the value", "a;b\t12\n", "a;b 12\n"},
		{"no frames", "12\n", " 12\n"},
		{"empty names", "a;;b 1\n;c 2\n", "a;?;b 1\n?;c 2\n"},
		{"two columns", "a;b 1 2\na 0 3\n", "a;b 1 2\na 0 3\n"},
		{"a number in a name of one column", "a;b 1\na;c 2 3\n", "a;b 1\na;c 2 3\n"},
		{"large values", "a 9007199254740993\nb -9223372036854775808\n", "a 9007199254740993\nb -9223372036854775808\n"},
		{"long line", long + "leaf 1\n", long + "leaf 1\n"},
		{"bytes that are no UTF-8", "a\xff;b 1\n", "a\uFFFD;b 1\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := ParseFolded(strings.NewReader(tt.in), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got := foldedString(p); got != tt.want {
				t.Errorf("got\n%.300s\nwant\n%.300s", got, tt.want)
			}
		})
	}
}

func TestParseFoldedErrors(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
		lim            Limits
	}{
		{"empty", "", "no folded stacks", Limits{}},
		{"only comments", "# x\n", "no folded stacks", Limits{}},
		{"no value", "a;b 1\na;b\n", "at byte 6: line 2 of folded stacks: the line doesn't end with a value", Limits{}},
		{"not a number", "a;b 0x10\n", "at byte 0: line 1", Limits{}},
		{"infinite", "a;b Inf\n", "the line doesn't end with a value", Limits{}},
		{"out of range", "a;b 1e300\n", "the line doesn't end with a value", Limits{}},
		{"column missing", "a;b 1 2\na;b 1\n", "at byte 8: line 2 of folded stacks: it has one value", Limits{}},
		{"too many bytes", "aaaaaaaaaaaaaaaaaaaaaaa 1\n", "more than 10 bytes of text", Limits{TextBytes: 10}},
		{"too many frames", "a;b;c 1\n", "more than 2 frames", Limits{Frames: 2}},
		{"too many samples", "a 1\nb 1\n", "more than 1 samples", Limits{Samples: 1}},
		{"too much memory", strings.Repeat("a 1\n", 100), "more than 1000 bytes in memory", Limits{Memory: 1000}},
		{"too many functions", "a;b;c 1\n", "more than 2 functions", Limits{Functions: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseFolded(strings.NewReader(tt.in), tt.lim)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestLooksFolded(t *testing.T) {
	for in, want := range map[string]bool{
		"a;b 1\n":                        true,
		"a;b 1\na;b;":                    true, // cut off
		"# x\n\na 1\nb;c 3\n":            true,
		"a;b 1 2\n":                      true,
		strings.Repeat("name;", 1000):    true, // one line, cut off
		"a;b":                            false,
		"":                               false,
		"goroutine profile: total 7\n":   false,
		"heap profile: 1: 2 [3: 4] @ x;": false,
		"a;b 1\ntext\n":                  false,
		"a;b 1\n\x00":                    false,
		"<html>\n<body>; 1":              false,
	} {
		if got := looksFolded([]byte(in)); got != want {
			t.Errorf("looksFolded(%.40q) = %v", in, got)
		}
	}
}

func FuzzParseFolded(f *testing.F) {
	for _, s := range []string{"a;b 1\n", "a;b 1 2\nc 3 4", "# c\n;; 1.5", "x 9223372036854775807", "1", "a\t-0"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ParseFolded(bytes.NewReader(data), Limits{Frames: 1000, TextBytes: 1 << 16})
		if err != nil {
			var syntax *SyntaxError
			var limit *LimitError
			if !errors.As(err, &syntax) && !errors.As(err, &limit) {
				t.Fatalf("error of type %T: %v", err, err)
			}
			return
		}
		for s := range p.NumSamples() {
			p.Stack(s)
		}
		if _, err := NewTree(p, TreeOptions{Types: []int{0}}); err != nil {
			t.Fatal(err)
		}
	})
}

// TestFoldedMemory: what lines take is counted as they come, however long they are.
func TestFoldedMemory(t *testing.T) {
	var lines, line strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&lines, "main;f%x 1\n", i)
		fmt.Fprintf(&line, "f%x;", i)
	}
	line.WriteString("main 1\n")
	const growth = 5 // columns grow by a quarter
	for name, text := range map[string]string{"lines": lines.String(), "one line": line.String()} {
		var l ledger
		allocated, err := allocating(func() error {
			_, err := ParseFolded(strings.NewReader(text), Limits{Budget: &l})
			return err
		})
		if err != nil || allocated > growth*l.all+slack {
			t.Errorf("%s: allocated %d bytes, but took only %d; %v", name, allocated, l.all, err)
		}
		l = ledger{}
		const most = 1 << 20
		allocated, err = allocating(func() error {
			_, err := ParseFolded(strings.NewReader(text), Limits{Memory: most, Budget: &l})
			return err
		})
		var limit *LimitError
		if !errors.As(err, &limit) || l.most > most || l.now != 0 || allocated > growth*most+slack {
			t.Errorf("%s: %v; took %d bytes at a time of %d, allocated %d, and gave %d not back", name, err, l.most, most, allocated, l.now)
		}
	}
}
