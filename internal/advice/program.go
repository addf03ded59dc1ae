package advice

import (
	"context"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/profile"
)

// A Program is what the profiles of one subject show as a whole. Rules with Examine look at it: what
// they find isn't on a line, or doesn't need the source.
type Program struct {
	Subject   string
	Inputs    []Input
	Dir       string   // of the module that is worked on
	GoVersion string   // the go line of the main module, "1.24"; "" if unknown
	Mains     []string // folders of commands, if a profile is of one

	subject int
	foreign bool // see Options
	seen    *evidence
	locate  func(*profile.Frame) string
}

// A StackFrame is a function on a stack.
type StackFrame struct {
	Name      string
	File      string // absolute, of the user's source; "" if it is not the user's
	Line      int
	StartLine int
}

// A stackSample is a sample of some profile, leaf first. It is valid until the next.
type stackSample struct {
	frames []StackFrame
	value  int64
	input  int // index in Program.Inputs
}

// samples calls visit with each sample of the columns of a type: "cpu", "goroutine".
func (p *Program) samples(kind string, visit func(*stackSample)) {
	for i, in := range p.Inputs {
		prof := in.Profile
		column := slices.IndexFunc(prof.SampleTypes, func(t profile.ValueType) bool { return t.Type == kind })
		if column < 0 {
			continue
		}
		expanded := make([][]StackFrame, len(prof.Locations))
		var s stackSample
		for n := range prof.Stacks {
			s = stackSample{frames: s.frames[:0], value: prof.Values[column][n], input: i}
			if s.value <= 0 {
				continue
			}
			for _, l := range prof.Stack(n) {
				if expanded[l] == nil {
					expanded[l] = p.expand(prof, l)
				}
				s.frames = append(s.frames, expanded[l]...)
			}
			visit(&s)
		}
	}
}

func (p *Program) expand(prof *profile.Profile, l uint32) []StackFrame {
	lines := prof.LocationLines(l)
	frames := make([]StackFrame, 0, len(lines))
	for _, line := range lines {
		fn := prof.Functions[line.Function]
		f := StackFrame{Name: prof.Strings[fn.Name], Line: int(line.Line), StartLine: int(fn.StartLine)}
		f.File = p.locate(&profile.Frame{Name: f.Name, File: prof.Strings[fn.File]})
		frames = append(frames, f)
	}
	return frames
}

// has reports whether a function on the stack is one that is asked for.
func (s *stackSample) has(is func(name string) bool) bool {
	return slices.ContainsFunc(s.frames, func(f StackFrame) bool { return is(f.Name) })
}

// user returns the innermost frame of the user's.
func (s *stackSample) user() (StackFrame, bool) {
	i := slices.IndexFunc(s.frames, func(f StackFrame) bool { return f.File != "" })
	if i < 0 {
		return StackFrame{}, false
	}
	return s.frames[i], true
}

// cpu returns the CPU time, and in how many samples.
func (p *Program) cpu() (nanos, samples int64) {
	t := p.seen.totals[p.subject]
	return t[cpuTime], t[cpuSamples]
}

// cores is how many processors were busy on average; 0 if that isn't known.
func (p *Program) cores() float64 {
	var nanos, duration int64
	for _, in := range p.Inputs {
		if i := slices.IndexFunc(in.Profile.SampleTypes, func(t profile.ValueType) bool { return t.Type == "cpu" && t.Unit == "nanoseconds" }); i >= 0 {
			duration += in.Profile.DurationNanos
			for _, v := range in.Profile.Values[i] {
				nanos += v
			}
		}
	}
	if duration <= 0 {
		return 0
	}
	return float64(nanos) / float64(duration)
}

// tested reports whether the program is a test binary.
func (p *Program) tested() bool {
	for _, in := range p.Inputs {
		for i := range in.Profile.Functions {
			switch in.Profile.FunctionName(uint32(i)) {
			case "testing.(*B).runN", "testing.(*B).launch", "testing.tRunner", "testing.(*M).Run":
				return true
			}
		}
	}
	return false
}

// at fills in the place of a finding.
func (f *Finding) at(frame StackFrame) {
	f.File, f.Line = frame.File, frame.Line
	f.Package = (&profile.Frame{Name: frame.Name}).Package()
	name := parseName(frame.Name)
	f.Function = name.declared()
	text, err := infile.ReadFile(context.Background(), frame.File, infile.MaxSource)
	if err != nil {
		f.Caveats = append(f.Caveats, "the source isn't available: "+err.Error())
		return
	}
	if lines := strings.Split(string(text), "\n"); frame.Line >= 1 && frame.Line <= len(lines) {
		f.Text = strings.Clone(strings.TrimSpace(lines[frame.Line-1])) // without the file around it
	}
}
