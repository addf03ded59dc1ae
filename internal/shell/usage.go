package shell

import (
	"fmt"
	"slices"
	"strings"
)

// Usage returns the help text of `hone pprof`, or of a short verb.
func Usage(verb string) string {
	var b strings.Builder
	c := lookupCommand(verb)
	switch {
	case verb == "pprof":
		b.WriteString(`usage: hone pprof [flags] [PROGRAM] SOURCE...           an interactive shell
       hone pprof -FORMAT [flags] [PROGRAM] SOURCE...   one report
       hone pprof -http [HOST]:[PORT] [flags] [PROGRAM] SOURCE...
                                                        the web UI

Show where a program spends time and memory, like go tool pprof.

Examples:

  hone pprof -top -mine cpu.pb.gz
  hone pprof -list 'Server.*Handle' ./server cpu.pb.gz
  hone pprof -diff_base old.pb.gz -top new.pb.gz

Flags come before sources; -name and --name are the same. Several sources are
merged. hone FORMAT SOURCE... is short for hone pprof -FORMAT SOURCE..., and
accepts flags anywhere.

Formats (at most one):
`)
		for i := range commands {
			c := &commands[i]
			name := "-" + c.name
			if c.param != "" {
				name += " RE"
			}
			entry(&b, name, c.summary)
		}
	case c == nil:
		fmt.Fprintf(&b, "usage: hone %s [flags] SOURCE...\n", verb)
	default:
		b.WriteString(c.usageOfVerb())
	}
	b.WriteString("\nReport options:\n")
	b.WriteString(optionList("-"))
	b.WriteString(`
Output:
  -o FILE               Same as -output
  -json                 Print the report as JSON

Sources:
  FILE                  A profile in any format of pprof, compressed or not
  http://HOST/PATH      A server of profiles; the default path is
                        /debug/pprof/profile
  PROGRAM               The profiled executable, before the profiles: for
                        profiles without symbols
  -base SOURCE          Subtract this profile; may be repeated
  -diff_base SOURCE     Same, with percentages of this profile; may be repeated
  -seconds N            How long to profile a server
  -timeout N            Time limit for fetching, in seconds
  -max-bytes N          Refuse profiles larger than this once decompressed, such
                        as 500MB (default 8GB)
  -max-memory N         Refuse profiles that need more memory (default half of
                        the machine's, and at most 64MB plus 64 bytes for each
                        byte of the file)
  -buildid ID           Use this as the program's build id
  -add_comment TEXT     Add a comment to the profile
  -add                  Add up goroutines and memory in use of several profiles
                        instead of averaging them (hone pprof always adds)
  -all_frames           Keep frames that the profile asks to drop
  -symbolize HOW        Where to find function names: none, local (programs on
                        this machine), fastlocal (same, without inlining),
                        remote (the server), force (look them up again)
  -tls_cert FILE        Client certificate for https
  -tls_key FILE         Its private key
  -tls_ca FILE          Certificates to trust
  -tools PATH           Accepted; hone needs no other tools

Web UI:
  -http [HOST]:[PORT]   Address of the web server; localhost and a free port by
                        default
  -no_browser           Don't open a browser

Older names:
`)
	for _, f := range legacySampleTypes() {
		entry(&b, "-"+f.name, "Same as "+f.usage)
	}
	b.WriteString(`
Environment:
  PPROF_TMPDIR          Where to save fetched profiles (default $HOME/pprof)
  PPROF_BINARY_PATH     Where to look for programs, by name and by build id
                        (default $HOME/pprof/binaries)
  PPROF_TOOLS           Default of -tools
  BROWSER               The web browser

Exit codes: 0 success, 1 failure, 2 wrong usage.
`)
	return b.String()
}

// usageOfVerb is how the help of the short verb of a command begins.
func (c *command) usageOfVerb() string {
	var b strings.Builder
	param, example := "", ""
	if c.param != "" {
		param, example = c.param+" ", "'json.*Decode' "
	}
	fmt.Fprintf(&b, "usage: hone %s %s[flags] [PROGRAM] SOURCE...\n\n%s. Flags and sources can be in any order.\n\nExamples:\n\n", c.name, param, c.summary)
	fmt.Fprintf(&b, "  hone %s %scpu.pb.gz\n", c.name, example)
	if c.file != "" {
		fmt.Fprintf(&b, "  hone %s %s-o report.%s cpu.pb.gz\n", c.name, example, c.file)
	} else {
		fmt.Fprintf(&b, "  hone %s %s-sample_index alloc_space heap.pb.gz\n", c.name, example)
	}
	fmt.Fprintf(&b, "  hone %s %s-seconds 10 http://localhost:6060/debug/pprof/profile\n", c.name, example)
	return b.String()
}

// entry writes one line of a list: a name and what it is.
func entry(b *strings.Builder, name, text string) {
	fmt.Fprintf(b, "  %-21s %s\n", name, text)
}

// optionList lists all variables, each name after prefix, those with choices last.
func optionList(prefix string) string {
	var b strings.Builder
	var plain, groups []*variable
	for i := range variables {
		if v := &variables[i]; len(v.choices) > 0 {
			groups = append(groups, v)
		} else {
			plain = append(plain, v)
		}
	}
	byName := func(v, w *variable) int { return strings.Compare(v.name, w.name) }
	slices.SortFunc(plain, byName)
	slices.SortFunc(groups, byName)
	for _, v := range plain {
		name := prefix + v.name
		switch {
		case prefix == "" || v.arg == "":
		case v.alone != "":
			name += "[=" + v.arg + "]"
		default:
			name += " " + v.arg
		}
		entry(&b, name, v.summary+v.defaultNote())
	}
	for _, v := range groups {
		fmt.Fprintf(&b, "\n%s (%s, one of):\n", v.summary, v.name)
		for _, c := range v.choices {
			entry(&b, prefix+c.name, c.summary)
		}
	}
	return b.String()
}

// defaultNote tells a default that is not empty, false or zero.
func (v *variable) defaultNote() string {
	def := DefaultConfig()
	switch value := v.get(&def); value {
	case "", "false", "-1":
		return ""
	default:
		return " (default " + value + ")"
	}
}

// help answers the shell's help command; ok is false if it knows no such name.
func help(name string, sampleTypes []string) (text string, ok bool) {
	if name == "" {
		return helpAll(), true
	}
	if c := lookupCommand(name); c != nil {
		return c.help(), true
	}
	v, isChoice, ok := lookupVariable(name)
	if !ok {
		return "", false
	}
	if isChoice {
		return fmt.Sprintf("%s. Same as %s=%s.\n\n", v.choice(name).summary, v.name, name), true
	}
	var b strings.Builder
	b.WriteString(v.summary + "\n")
	if v.detail != "" {
		b.WriteString(v.detail + "\n")
	}
	for _, c := range v.choices {
		entry(&b, c.name, c.summary)
	}
	if v.name == "sample_index" {
		fmt.Fprintf(&b, "This profile has %s.\n", strings.Join(sampleTypes, ", "))
	}
	return b.String() + "\n", true
}

func helpAll() string {
	var b strings.Builder
	b.WriteString("Commands:\n")
	for i := range commands {
		entry(&b, commands[i].name, commands[i].summary)
	}
	entry(&b, "TYPE, total_TYPE", "Show the sample type TYPE")
	entry(&b, "mean_TYPE", "Show its mean per event")
	entry(&b, ":", "Clear focus, ignore, hide, tagfocus and tagignore")
	entry(&b, "o, options", "Show all options and their values")
	entry(&b, "help NAME", "Explain a command or an option")
	entry(&b, "q, quit, exit, ^D", "Leave")
	b.WriteString("\nOptions (name=value; just the name sets a boolean to true):\n")
	b.WriteString(optionList(""))
	b.WriteString(`
A command accepts a number of entries, regular expressions to focus on, -RE to
ignore, and >FILE. They apply to that report only: top 20 net/http -runtime -cum >top.txt
`)
	return b.String()
}

func (c *command) help() string {
	var b strings.Builder
	b.WriteString(c.summary + "\n  ")
	b.WriteString(c.name)
	if c.param != "" {
		b.WriteString(" " + c.param)
	}
	var lines []string
	switch c.usage {
	case usageTable:
		b.WriteString(" [N] [RE]... [-RE]... [-cum]")
		lines = append(lines, "N entries at most; -cum sorts by the cost of a function and its callees.")
	case usageReport:
		b.WriteString(" [N] [RE]... [-RE]...")
		lines = append(lines, "N nodes at most.")
	case usageFunc, usageTags:
		b.WriteString(" [RE]... [-RE]...")
	}
	if c.viewer == noViewer || c.name == "weblist" {
		b.WriteString(" [>FILE]")
	}
	b.WriteString("\n")
	switch c.usage {
	case usageTags:
		lines = append(lines, "Only labels that match RE, as key:value, and none that match -RE.")
	case usagePlain:
	default:
		lines = append(lines, "Only samples with a frame that matches RE, and none with a frame that matches -RE.")
	}
	lines = append(lines, c.notes...)
	if c.file != "" {
		lines = append(lines, "Without FILE, the report goes to a new file in this directory.")
	}
	for _, line := range lines {
		b.WriteString("  " + line + "\n")
	}
	return b.String() + "\n"
}
