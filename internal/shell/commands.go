package shell

import (
	"slices"
	"strings"
)

// command is a report by name, with its default destination.
type command struct {
	name    string
	param   string // name of its parameter in the help, "" for none
	summary string
	usage   usageKind
	file    string   // extension of the new file it goes to instead of a terminal, "" for text
	viewer  viewer   // program that shows it, if any
	viewExt string   // extension of the file for the viewer
	own     bool     // go tool pprof has no such command
	notes   []string // further lines of help
}

// usageKind says which arguments the shell's help lists for a command.
type usageKind int

const (
	usagePlain  usageKind = iota // no arguments but a redirection
	usageReport                  // count and filters
	usageTable                   // count, filters and -cum
	usageFunc                    // a parameter and filters
	usageTags                    // filters on labels
)

// viewer is a kind of program that shows a file.
type viewer int

const (
	noViewer viewer = iota
	browserViewer
	eogViewer
	evinceViewer
	gvViewer
	kcachegrindViewer
)

// commands is the table of commands, sorted by name; it is never written to.
var commands = [...]command{
	{name: "callgrind", summary: "Call graph for KCachegrind and similar tools", usage: usageReport, file: "callgraph.out"},
	{name: "comments", summary: "The profile's comments"},
	{name: "disasm", param: "REGEXP|ADDRESS", summary: "Assembly of matching functions, with costs", usage: usageFunc},
	{name: "dot", summary: "Call graph in the DOT language", usage: usageReport},
	{name: "eog", summary: "Call graph, shown by eog", usage: usageReport, viewer: eogViewer, viewExt: "svg"},
	{name: "evince", summary: "Call graph, shown by evince", usage: usageReport, viewer: evinceViewer, viewExt: "pdf"},
	{name: "flame", summary: "Flame graph as a web page", usage: usageReport, file: "html", own: true},
	{name: "gif", summary: "Call graph as a GIF image", usage: usageReport, file: "gif"},
	{name: "gv", summary: "Call graph, shown by gv", usage: usageReport, viewer: gvViewer, viewExt: "ps"},
	{name: "kcachegrind", summary: "Call graph, shown by KCachegrind", usage: usageReport, viewer: kcachegrindViewer, viewExt: "grind"},
	{name: "list", param: "REGEXP|ADDRESS", summary: "Source of matching functions, with the cost per line", usage: usageFunc},
	{name: "pdf", summary: "Call graph as PDF", usage: usageReport, file: "pdf"},
	{name: "peek", param: "REGEXP", summary: "Callers and callees of matching functions", usage: usageFunc},
	{name: "png", summary: "Call graph as a PNG image", usage: usageReport, file: "png"},
	{name: "proto", summary: "The profile itself, compressed", file: "pb.gz"},
	{name: "ps", summary: "Call graph as PostScript", usage: usageReport, file: "ps"},
	{name: "raw", summary: "The whole profile, as text"},
	{name: "svg", summary: "Call graph as an SVG image", usage: usageReport, file: "svg"},
	{name: "tags", summary: "The labels of samples, with their cost", usage: usageTags},
	{name: "text", summary: "The most expensive functions; same as top", usage: usageTable},
	{name: "top", summary: "The most expensive functions", usage: usageTable,
		notes: []string{"The shell shows 10 entries, unless you set nodecount or give a count."}},
	{name: "topproto", summary: "The entries of top, as a compressed profile", file: "pb.gz"},
	{name: "traces", summary: "Every sample with its stack"},
	{name: "tree", summary: "The most expensive functions with callers and callees", usage: usageTable},
	{name: "web", summary: "Call graph, in a web browser", usage: usageReport, viewer: browserViewer, viewExt: "svg"},
	{name: "weblist", param: "REGEXP|ADDRESS", summary: "Source and assembly, in a web browser",
		usage: usageFunc, viewer: browserViewer, viewExt: "html"},
}

func lookupCommand(name string) *command {
	i, ok := slices.BinarySearchFunc(commands[:], name, func(c command, name string) int {
		return strings.Compare(c.name, name)
	})
	if !ok {
		return nil
	}
	return &commands[i]
}

// Commands returns the names of all commands, sorted.
func Commands() []string {
	names := make([]string, len(commands))
	for i := range commands {
		names[i] = commands[i].name
	}
	return names
}

// takesParam reports whether the named command needs a parameter: the regular
// expression of list, peek, disasm and weblist.
func takesParam(name string) bool {
	c := lookupCommand(name)
	return c != nil && c.param != ""
}

// programs returns the programs to try for v, best first, each with its
// arguments except the file.
func (v viewer) programs(goos string, getenv func(string) string) []string {
	switch v {
	case eogViewer:
		return []string{"eog"}
	case evinceViewer:
		return []string{"evince"}
	case gvViewer:
		return []string{"gv --noantialias"}
	case kcachegrindViewer:
		return []string{"kcachegrind"}
	}
	programs := chosenBrowser(getenv)
	switch goos {
	case "darwin":
		return append(programs, "/usr/bin/open")
	case "windows":
		return append(programs, "cmd /c start")
	}
	// xdg-open comes last: it may open an SVG in an image viewer, which
	// can't pan the graph.
	programs = append(programs, "chrome", "google-chrome", "chromium", "firefox", "sensible-browser")
	if hasDisplay(getenv) {
		programs = append(programs, "xdg-open")
	}
	return programs
}

// chosenBrowser returns the user's choice of a browser, if there is one.
func chosenBrowser(getenv func(string) string) []string {
	if b := getenv("BROWSER"); b != "" {
		return []string{b}
	}
	return nil
}

// hasDisplay reports whether programs can open windows on Linux and the like.
func hasDisplay(getenv func(string) string) bool {
	return getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != ""
}
