package experiment

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestFolderNames(t *testing.T) {
	long := strings.Repeat("subcase.x/", 40)
	for _, c := range []struct{ pkg, benchmark, want string }{
		{"", "Parse-4", "Parse-4"},
		{"example.com/json", "Parse/n=10-4", "example.com%2Fjson@Parse%2Fn=10-4"},
		{"", "a@b", "a%40b"},
		{"", "..", "%2E%2E"},
		{"", ".hidden", "%2Ehidden"},
		{"", "ends.", "ends%2E"},
		{"", "nul", "%6Eul"},
		{"", "COM1.txt", "%43OM1.txt"},
		{"", `a<b>c:d"e\f|g?h*i`, "a%3Cb%3Ec%3Ad%22e%5Cf%7Cg%3Fh%2Ai"},
		{"", "50%", "50%25"},
		{"", "größe", "gr%C3%B6%C3%9Fe"},
		{"example.com/x", long, ""},
		{"", "", ""},
	} {
		got := folderOf(c.pkg, c.benchmark)
		if c.want != "" && got != c.want {
			t.Errorf("%q %q: folder %q, want %q", c.pkg, c.benchmark, got, c.want)
		}
		checkFolder(t, c.pkg, c.benchmark)
	}
	if a, b := foldedFolderOf("", "Parse"), folderOf("", "parse"); strings.EqualFold(a, b) {
		t.Errorf("%q and %q are one folder on Windows", a, b)
	}
}

func TestFolderErrors(t *testing.T) {
	for _, folder := range []string{"a%2", "a%zz", "a/b"} {
		if pkg, name, err := unfolder(folder); err == nil {
			t.Errorf("%q is read as %q %q", folder, pkg, name)
		}
	}
}

func FuzzFolder(f *testing.F) {
	f.Add("example.com/x", "Parse/n=10-4")
	f.Add("", strings.Repeat("%", 300))
	f.Add("a", strings.Repeat("nul.", 100))
	f.Fuzz(checkFolder)
}

func checkFolder(t *testing.T, pkg, benchmark string) {
	for _, folder := range []string{folderOf(pkg, benchmark), foldedFolderOf(pkg, benchmark)} {
		gotPkg, gotBenchmark, err := unfolder(folder)
		if err != nil || gotPkg != pkg || gotBenchmark != benchmark {
			t.Fatalf("%q %q: folder %q is read as %q %q, %v", pkg, benchmark, folder, gotPkg, gotBenchmark, err)
		}
		if folder == "" {
			continue
		}
		if !filepath.IsLocal(filepath.FromSlash(folder)) {
			t.Fatalf("folder %q leads elsewhere", folder)
		}
		for part := range strings.SplitSeq(folder, "/") {
			switch {
			case part == "", part[0] == '.', part[len(part)-1] == '.', len(part) > maxComponent+1, isDevice(stemOf(part)),
				strings.ContainsAny(part, "<>:\"\\|?* "):
				t.Fatalf("%q %q: component %q of %q is no file name everywhere", pkg, benchmark, part, folder)
			}
		}
	}
}
