package experiment

import (
	"fmt"
	"strings"
)

// folderOf turns a package and a benchmark into the path of a folder, below
// profiles/, that every file system takes: Linux, macOS and Windows.
//
//	example.com/json, Parse/n=10-4   example.com%2Fjson@Parse%2Fn=10-4
//	"",               Parse-4        Parse-4
//
// "@" occurs in no import path, and in a benchmark's name only behind it, or it
// is escaped. Everything but ASCII letters, digits and a few signs is written
// %XX, as are a first dot, a last dot or blank, and a letter of Windows' device
// names. Names of more than maxComponent bytes go on in a folder below; a
// component that goes on ends in "%", which no escape does.
func folderOf(pkg, benchmark string) string {
	return splitComponent(joinNames(pkg, benchmark, escapeName))
}

// foldedFolderOf is folderOf with capitals escaped: for a name that differs from
// another of the run in nothing but case, since Windows and macOS would mix the
// two up. unfolder reads both.
func foldedFolderOf(pkg, benchmark string) string {
	return splitComponent(joinNames(pkg, benchmark, func(s string) string {
		device := isDevice(stemOf(s))
		return escapeWith(s, func(i int) bool {
			return plain(s[i]) && (s[i] < 'A' || s[i] > 'Z') && !(device && i == 0)
		})
	}))
}

const maxComponent = 120

func joinNames(pkg, benchmark string, escape func(string) string) string {
	if pkg == "" {
		return escape(benchmark)
	}
	return escape(pkg) + "@" + escape(benchmark)
}

func splitComponent(name string) string {
	var parts []string
	for len(name) > maxComponent {
		cut := maxComponent
		for i := cut - 2; i < cut; i++ {
			if name[i] == '%' { // do not cut an escape in two
				cut = i
				break
			}
		}
		// What follows must be as safe as a name of its own.
		for cut > 1 && (name[cut] == '.' || name[cut-1] == '.' || isDevice(stemOf(name[cut:]))) {
			cut--
		}
		parts = append(parts, name[:cut]+"%")
		name = name[cut:]
	}
	return strings.Join(append(parts, name), "/")
}

func escapeName(s string) string {
	device := isDevice(stemOf(s))
	return escapeWith(s, func(i int) bool {
		switch c := s[i]; {
		case c == '.':
			return i > 0 && i < len(s)-1
		case device && i == 0:
			return false
		default:
			return plain(c)
		}
	})
}

func escapeWith(s string, keep func(i int) bool) string {
	var b strings.Builder
	for i := range len(s) {
		if keep(i) {
			b.WriteByte(s[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", s[i])
		}
	}
	return b.String()
}

func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_=+,#()[]", c) >= 0
}

func stemOf(name string) string {
	stem, _, _ := strings.Cut(name, ".")
	return stem
}

// isDevice reports whether Windows takes a name for a device, with whatever
// ending: "Naming Files, Paths, and Namespaces" in its documentation.
func isDevice(stem string) bool {
	switch s := strings.ToUpper(stem); {
	case s == "CON", s == "PRN", s == "AUX", s == "NUL", s == "CONIN$", s == "CONOUT$":
		return true
	case len(s) == 4 && (s[:3] == "COM" || s[:3] == "LPT"):
		return s[3] >= '0' && s[3] <= '9'
	}
	return false
}

// unfolder is the way back from folderOf and foldedFolderOf.
func unfolder(folder string) (pkg, benchmark string, err error) {
	parts := strings.Split(folder, "/")
	for i, p := range parts {
		if i < len(parts)-1 {
			if !strings.HasSuffix(p, "%") {
				return "", "", fmt.Errorf("folder %q goes on below but does not end in %%", p)
			}
			parts[i] = p[:len(p)-1]
		}
	}
	escapedPkg, escapedName, both := strings.Cut(strings.Join(parts, ""), "@")
	if !both {
		escapedPkg, escapedName = "", escapedPkg
	}
	if pkg, err = unescapeName(escapedPkg); err != nil {
		return "", "", err
	}
	benchmark, err = unescapeName(escapedName)
	return pkg, benchmark, err
}

func unescapeName(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		var c byte
		if i+2 >= len(s) {
			return "", fmt.Errorf("escape %q at byte %d of %q is cut off", s[i:], i, s)
		}
		if _, err := fmt.Sscanf(s[i+1:i+3], "%02X", &c); err != nil {
			return "", fmt.Errorf("invalid escape %q at byte %d of %q", s[i:i+3], i, s)
		}
		b.WriteByte(c)
		i += 2
	}
	return b.String(), nil
}
