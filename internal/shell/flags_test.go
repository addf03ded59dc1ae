package shell

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os/exec"
	"reflect"
	"strings"
	"testing"
)

const sample = "../../testdata/heap.json-decode.pb.gz"

// TestParse says which command lines are understood. Those that need neither
// graphviz nor a viewer, nor a flag of hone's own, are put to `go tool pprof`
// too, which must be of the same opinion.
func TestParse(t *testing.T) {
	const ours = "not for go tool pprof"
	tests := []struct {
		args string
		err  string // what Parse says, "" if it agrees
		note string
	}{
		{args: "FILE"},
		{args: "FILE FILE"},
		{args: "-top FILE"},
		{args: "--top FILE"},
		{args: "-top=true FILE"},
		{args: "-top=false FILE"},
		{args: "-top=0 -text FILE"},
		{args: "-text -cum FILE"},
		{args: "-top -flat FILE"},
		{args: "-top -cum=false FILE"},
		{args: "-tree -nodecount=5 FILE"},
		{args: "-tree -nodecount 0x5 FILE"},
		{args: "-peek json FILE"},
		{args: "-peek=json FILE"},
		{args: "-list=valueInterface FILE"},
		{args: "-list= FILE"},
		{args: "-raw FILE"},
		{args: "-traces -lines FILE"},
		{args: "-tags -tagfocus=bytes=1kb: FILE"},
		{args: "-comments FILE"},
		{args: "-dot -output OUT FILE"},
		{args: "-callgrind -output OUT FILE"},
		{args: "-proto -output=OUT FILE"},
		{args: "-topproto -output=OUT FILE"},
		{args: "-svg -output=OUT FILE", note: ours},
		{args: "-web FILE", note: ours},
		{args: "-weblist RE FILE", note: ours},
		{args: "-disasm RE FILE", note: ours},
		{args: "-flame FILE", note: ours},
		{args: "-top -json FILE", note: ours},
		{args: "-top -o OUT FILE", note: ours},
		{args: "-top -max-bytes 4GB FILE", note: ours},
		{args: "-top -focus main -ignore runtime -hide x -show y -show_from z -prune_from q FILE"},
		{args: "-top -tagfocus a -tagignore b -tagshow c -taghide d -tagroot e -tagleaf f FILE"},
		{args: "-top -unit=MB -divide_by 2.5 -mean -sample_index=inuse_space FILE"},
		{args: "-top -call_tree -relative_percentages -compact_labels -intel_syntax FILE"},
		{args: "-top -source_path=. -trim_path=/x -drop_negative -noinlines -showcolumns FILE"},
		{args: "-top -nodefraction=.1 -edgefraction=1e-2 -trim=false FILE"},
		{args: "-top -files FILE"},
		{args: "-top -filefunctions FILE"},
		{args: "-top -functions FILE"},
		{args: "-top -addresses FILE"},
		{args: "-top -inuse_space FILE"},
		{args: "-top -inuse_objects FILE"},
		{args: "-top -alloc_space FILE"},
		{args: "-top -alloc_objects -alloc_space FILE"},
		{args: "-top -base FILE FILE"},
		{args: "-top -diff_base FILE FILE"},
		{args: "-top -base= -diff_base FILE FILE"},
		{args: "-top -normalize -base FILE FILE"},
		{args: "-top -symbolize=none -buildid abc -timeout 3 -seconds 1 FILE"},
		{args: "-top -add_comment hello -tools /bin FILE"},
		{args: "-top -tls_cert a -tls_key b -tls_ca c FILE"},
		{args: "-http=:0 -no_browser FILE", note: ours},
		{args: "-top -- FILE"},

		{args: "", err: "no profile source specified"},
		{args: "-top", err: "no profile source specified"},
		{args: "-top -text FILE", err: "must set at most one output format"},
		{args: "-top -list x FILE", err: "must set at most one output format"},
		{args: "-peek x -list x FILE", err: "must set at most one output format"},
		{args: "-cum -flat -top FILE", err: "conflicting options set: [cum flat]"},
		{args: "-lines -files -top FILE", err: "conflicting options set: [files lines]"},
		{args: "-http=:0 -top FILE", err: "-http is not compatible with an output format on the command line"},
		{args: "-no_browser -top FILE", err: "-no_browser only makes sense with -http"},
		{args: "-base FILE -diff_base FILE -top FILE", err: "-base and -diff_base flags cannot both be specified"},
		{args: "-normalize -top FILE", err: "must have base profile to normalize by"},
		{args: "-bogus FILE", err: "flag provided but not defined: -bogus"},
		{args: "-nodecount=x -top FILE", err: `invalid value "x" for flag -nodecount: parse error`},
		{args: "-nodefraction=x -top FILE", err: `invalid value "x" for flag -nodefraction: parse error`},
		{args: "-trim=yes -top FILE", err: `invalid boolean value "yes" for -trim: parse error`},
		{args: "-top -focus", err: "flag needs an argument: -focus"},
		{args: "-sort=cum -top FILE", err: "flag provided but not defined: -sort"},
		{args: "-granularity=lines -top FILE", err: "flag provided but not defined: -granularity"},
		{args: "---top FILE", err: "bad flag syntax: ---top"},
		{args: "-seconds=1s -top FILE", err: `invalid value "1s" for flag -seconds: parse error`},
		{args: "-json FILE", err: "-json needs an output format such as -top", note: ours},
		{args: "FILE -top", err: "flag -top comes after a source: put flags first", note: ours},
		{args: "-max-bytes=1PB -top FILE", err: `invalid value "1PB" for flag -max-bytes: use a number of bytes such as 500000000, 512MB or 4GB`, note: ours},
	}
	oracle := oraclePath(t)
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir() + "/out"
			args := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(tt.args, "FILE", sample), "OUT", out))
			_, err := Parse(args, io.Discard)
			var got string
			if err != nil {
				got = err.Error()
				var usage *UsageError
				if !errors.As(err, &usage) || usage.Verb != "pprof" {
					t.Errorf("error %#v is no UsageError of pprof", err)
				}
			}
			if got != tt.err {
				t.Errorf("error %q, want %q", got, tt.err)
			}
			if oracle == "" || tt.note == ours {
				return
			}
			text, err := exec.Command(oracle, args...).CombinedOutput()
			if (err != nil) != (tt.err != "") {
				t.Errorf("go tool pprof: %v\n%s", err, text)
			}
			if strings.HasPrefix(tt.err, "conflicting") { // there in random order
				return
			}
			if tt.err != "" && !strings.Contains("\n"+string(text), "\n"+tt.err+"\n") {
				t.Errorf("go tool pprof says\n%s", text)
			}
		})
	}
}

func TestParseResult(t *testing.T) {
	var stderr bytes.Buffer
	inv, err := Parse(strings.Fields("-list a.*b -cum -lines -nodecount 7 -mean_delay -contentions -base x -base y -base= "+
		"-output f -normalize -seconds 3 -buildid id -symbolize force -add_comment c -tls_ca ca -max-bytes 2kB prog src"), &stderr)
	if err != nil {
		t.Fatal(err)
	}
	want := &Invocation{
		Config: DefaultConfig(), Command: "list", Param: "a.*b",
		Sources: []string{"src"}, ExecName: "prog", BuildID: "id",
		Base: []string{"x", "y"}, Seconds: 3, Timeout: -1, MaxBytes: 2048,
		Symbolize: "force", Comment: "c", TLSCA: "ca",
	}
	want.Sort, want.Granularity, want.NodeCount = "cum", "lines", 7
	want.SampleIndex, want.Mean = "delay", true
	want.Output, want.Normalize = "f", true
	inv.TakeExecutable(func(file string) bool { return file == "prog" })
	if !reflect.DeepEqual(inv, want) {
		t.Errorf("got  %+v\nwant %+v", inv, want)
	}
	if got, want := stderr.String(), "Multiple value selections, ignoring -contentions\n"; got != want {
		t.Errorf("stderr %q, want %q", got, want)
	}

	inv, err = Parse(strings.Fields("-diff_base old -http=:80 -no_browser new"), &stderr)
	if err != nil {
		t.Fatal(err)
	}
	if !inv.DiffBase || inv.HTTP != ":80" || !inv.NoBrowser || inv.Command != "" || len(inv.Base) != 1 {
		t.Errorf("got %+v", inv)
	}
	inv.TakeExecutable(func(string) bool { return true })
	if inv.ExecName != "" {
		t.Error("the only source was taken for a program")
	}
}

func TestParseVerb(t *testing.T) {
	tests := []struct {
		verb, args string
		command    string
		param      string
		sources    string
		nodes      int
		err        string
	}{
		{verb: "top", args: "-nodecount 3 a b", command: "top", sources: "a b", nodes: 3},
		{verb: "top", args: "a -nodecount 3 b", command: "top", sources: "a b", nodes: 3},
		{verb: "top", args: "a b --nodecount=3 -cum", command: "top", sources: "a b", nodes: 3},
		{verb: "top", args: "-cum a -- -b", command: "top", sources: "a -b", nodes: -1},
		{verb: "list", args: "re a", command: "list", param: "re", sources: "a", nodes: -1},
		{verb: "peek", args: "-nodecount 2 re a -cum b", command: "peek", param: "re", sources: "a b", nodes: 2},
		{verb: "disasm", args: "-- -re a", command: "disasm", param: "-re", sources: "a", nodes: -1},
		{verb: "diff", args: "a b -nodecount 9", command: "diff", sources: "a b", nodes: 9},
		{verb: "top", args: "", err: "missing source: give a profile: a file, a URL or RUN:Benchmark/cpu"},
		{verb: "list", args: "", err: "missing regular expression: use hone list REGEXP SOURCE..."},
		{verb: "list", args: "re", err: "missing source: give a profile: a file, a URL or RUN:Benchmark/cpu"},
		{verb: "top", args: "-tree a", err: "must set at most one output format"},
		{verb: "top", args: "a -http=:80", err: "-http is not compatible with an output format on the command line"},
		{verb: "top", args: "a -bogus", err: "flag provided but not defined: -bogus"},
		{verb: "top", args: "a -focus", err: "flag needs an argument: -focus"},
	}
	for _, tt := range tests {
		t.Run(tt.verb+" "+tt.args, func(t *testing.T) {
			inv, err := ParseVerb(tt.verb, strings.Fields(tt.args), io.Discard)
			if err != nil {
				var usage *UsageError
				if !errors.As(err, &usage) || usage.Verb != tt.verb || err.Error() != tt.err {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if tt.err != "" {
				t.Fatalf("no error, want %q", tt.err)
			}
			if got := strings.Join(inv.Sources, " "); inv.Command != tt.command || inv.Param != tt.param ||
				got != tt.sources || inv.NodeCount != tt.nodes {
				t.Errorf("got %s %q of %s with %d nodes", inv.Command, inv.Param, got, inv.NodeCount)
			}
		})
	}
}

func TestParseVerbExtra(t *testing.T) {
	var inverted bool
	inv, err := ParseVerb("flame", []string{"a", "-inverted", "-json"}, io.Discard, func(fs *flag.FlagSet) {
		fs.BoolVar(&inverted, "inverted", false, "")
	})
	if err != nil || !inverted || !inv.JSON || inv.Command != "flame" {
		t.Errorf("got %+v, %v, inverted %v", inv, err, inverted)
	}
}

// A verb that is no format has the names of formats for flags of its own.
func TestParseVerbOwnNames(t *testing.T) {
	var flame bool
	inv, err := ParseVerb("diff", []string{"-flame", "a", "b"}, io.Discard, func(fs *flag.FlagSet) {
		fs.BoolVar(&flame, "flame", false, "")
	})
	if err != nil || !flame || len(inv.Sources) != 2 {
		t.Errorf("got %+v, %v, flame %v", inv, err, flame)
	}
}

func TestParseHelp(t *testing.T) {
	for _, arg := range []string{"-h", "-help", "--help"} {
		var stderr bytes.Buffer
		if _, err := Parse([]string{arg}, &stderr); err != flag.ErrHelp {
			t.Errorf("%s: error %v, want ErrHelp", arg, err)
		}
		if stderr.Len() > 0 {
			t.Errorf("%s printed %q", arg, stderr.String())
		}
	}
}

// TestUsageComplete holds the usage text to all flags there are.
func TestUsageComplete(t *testing.T) {
	text := Usage("pprof")
	newCommandLine("pprof").flags.VisitAll(func(f *flag.Flag) {
		if !strings.Contains(text, "-"+f.Name+" ") {
			t.Errorf("the usage text does not mention -%s", f.Name)
		}
	})
	for line := range strings.Lines(text) {
		if len(line) > 81 {
			t.Errorf("line too long: %s", line)
		}
	}
	for _, verb := range []string{"top", "list", "flame", "diff"} {
		if !strings.Contains(Usage(verb), "hone "+verb+" ") {
			t.Errorf("the usage text of %s does not say how to call it", verb)
		}
	}
}

func TestParseBytes(t *testing.T) {
	tests := []struct {
		in   string
		want int64
		ok   bool
	}{
		{"0", 0, true}, {"17", 17, true}, {"1k", 1024, true}, {"512MB", 512 << 20, true}, {"4GiB", 4 << 30, true},
		{"3tb", 3 << 40, true}, {"9B", 9, true},
		{"", 0, false}, {"GB", 0, false}, {"-1", 0, false}, {"1.5GB", 0, false}, {"1kM", 0, false}, {"9999999999TB", 0, false},
	}
	for _, tt := range tests {
		got, err := ParseBytes(tt.in)
		if got != tt.want || (err == nil) != tt.ok {
			t.Errorf("ParseBytes(%q) = %d, %v; want %d, ok %v", tt.in, got, err, tt.want, tt.ok)
		}
	}
}

func TestParseFlags(t *testing.T) {
	for _, tt := range []struct {
		args, unknown, err string
	}{
		{"-n 1 -b", "", ""},
		{"-n 1 -c", "c", "flag provided but not defined: -c"},
		{"-b --c=1 -n 2", "c", "flag provided but not defined: -c"},
		{"-n -c", "", `invalid value "-c" for flag -n: use a whole number`},
		{"-s -n -c", "c", "flag provided but not defined: -c"}, // -n is the value of -s
		{"-b=maybe -c", "", `invalid boolean value "maybe" for -b: use true or false`},
		{"-n", "", "flag needs an argument: -n"},
		{"---n", "", "bad flag syntax: ---n"},
		{"-b x -c", "", ""},                                                      // flags end before x
		{"-top_most 1 -top-most=1 --top_most 1 -by-name x_y -by_name=x", "", ""}, // - and _ are the same
		{"-s -top_most -by-nam", "by-nam", "flag provided but not defined: -by-nam"},
		{"-top_most x", "", `invalid value "x" for flag -top-most: use a whole number`},
	} {
		fs := flag.NewFlagSet("v", flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		fs.Int("n", 0, "")
		fs.Bool("b", false, "")
		fs.String("s", "", "")
		fs.Int("top-most", 0, "")
		fs.String("by_name", "", "")
		err := ParseFlags("v", fs, strings.Fields(tt.args))
		if err == nil {
			if tt.err != "" {
				t.Errorf("%s: no error, want %s", tt.args, tt.err)
			}
			continue
		}
		var usage *UsageError
		if !errors.As(err, &usage) || usage.Verb != "v" || usage.Flags != fs || usage.Unknown != tt.unknown || err.Error() != tt.err {
			t.Errorf("%s: %#v, want %q about flag %q", tt.args, err, tt.err, tt.unknown)
		}
	}
}
