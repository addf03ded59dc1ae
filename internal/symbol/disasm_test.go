package symbol

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// objdump returns what go tool objdump prints of a function, per instruction:
// address, file:line and text.
func objdump(t *testing.T, path, re string) []string {
	t.Helper()
	out, err := exec.Command("go", "tool", "objdump", "-s", re, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var insts []string
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		fields := regexp.MustCompile("\t+").Split(line, -1)
		if len(fields) < 4 || strings.HasPrefix(line, "TEXT") {
			continue
		}
		text := strings.TrimSpace(strings.Join(fields[3:], " "))
		where := strings.Replace(strings.TrimSpace(fields[0]), ":-1", ".:0", 1) // padding
		insts = append(insts, fmt.Sprintf("%s %s %s", fields[1], where, text))
	}
	return insts
}

func TestDisasm(t *testing.T) {
	for _, b := range binaries {
		if b.stripped {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			f := b.open(t)
			const re = `^main\.|^runtime\.(main|mallocgc|findfunc|gcDrain)$`
			want := objdump(t, f.Name(), re)
			syms, err := f.Symbols(regexp.MustCompile(re), 0)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range syms {
				if sec := f.img.sectionAt(s.Start); sec == nil || !sec.exec {
					continue
				}
				insts, err := f.Disasm(s.Start, s.End+1, false)
				if err != nil {
					t.Fatal(err)
				}
				for _, in := range insts {
					got = append(got, fmt.Sprintf("%#x %s:%d %s", in.Addr, filepath.Base(in.File), in.Line, strings.ReplaceAll(in.Text, "\t", " ")))
				}
			}
			if len(want) < 300 {
				t.Fatalf("objdump printed %d instructions", len(want))
			}
			wrong := 0
			for i := range min(len(got), len(want)) {
				if got[i] != want[i] {
					if wrong++; wrong < 10 {
						t.Errorf("got  %s\nwant %s", got[i], want[i])
					}
				}
			}
			if len(got) != len(want) || wrong > 0 {
				t.Errorf("%d instructions, want %d; %d differ", len(got), len(want), wrong)
			}
		})
	}
}

func TestDisasmStripped(t *testing.T) {
	texts := func(name string) string {
		f := named(name).open(t)
		syms, err := f.Symbols(regexp.MustCompile(`^main\.float$`), 0)
		if err != nil || len(syms) != 1 {
			t.Fatalf("%s: %v, %v", name, syms, err)
		}
		insts, err := f.Disasm(syms[0].Start, syms[0].End+1, false)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, in := range insts {
			if in.Function != "main.float" {
				t.Errorf("%+v is not of main.float", in)
			}
			fmt.Fprintln(&b, in.Text, in.Line)
		}
		return b.String()
	}
	names := regexp.MustCompile(`\$f64\.\w+\(SB\)|0x\w+\(IP\)|0x[0-9a-f]{5,}`) // addresses, named or not
	got := names.ReplaceAllString(texts("stripped"), "X")
	want := names.ReplaceAllString(texts("plain"), "X")
	got, _, _ = strings.Cut(got, "\nINT")
	if want, _, _ = strings.Cut(want, "\nINT"); strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("stripped:\n%s\nplain:\n%s", got, want)
	}
}

func TestDisasmIntel(t *testing.T) {
	f := named("plain").open(t)
	if f.Arch() != "amd64" {
		t.Skip(f.Arch())
	}
	syms, err := f.Symbols(regexp.MustCompile(`^main\.float$`), 0)
	if err != nil || len(syms) != 1 {
		t.Fatal(syms, err)
	}
	insts, err := f.Disasm(syms[0].Start, syms[0].End+1, true)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, in := range insts {
		all = append(all, in.Text)
	}
	if text := strings.Join(all, "\n"); !strings.Contains(text, "addsd xmm") {
		t.Errorf("not Intel syntax:\n%s", text)
	}
}

func TestDisasmOutside(t *testing.T) {
	f := named("plain").open(t)
	if _, err := f.Disasm(10, 5, false); err != nil {
		t.Error(err)
	}
	for _, r := range [][2]uint64{{0, 10}, {^uint64(0) - 5, ^uint64(0)}, {f.img.text.addr + f.img.text.size, ^uint64(0)}} {
		if insts, err := f.Disasm(r[0], r[1], false); err != nil || len(insts) != 0 {
			t.Errorf("%x: %v, %v", r, insts, err)
		}
	}
	insts, err := f.Disasm(f.img.text.addr-100, f.img.text.addr+1, false)
	if err != nil || len(insts) != 1 {
		t.Errorf("start of the text: %v, %v", insts, err)
	}
}
