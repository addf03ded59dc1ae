package prove

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/git/gittest"
)

const sumGo = `package m

func Sum(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += i
	}
	return sum
}
`

// repository makes a repository whose module is in a folder of it, and returns both.
func repository(t *testing.T, folder string, files map[string]string) (top, module string) {
	t.Helper()
	top = t.TempDir()
	below := make(map[string]string)
	for name, text := range files {
		below[filepath.ToSlash(filepath.Join(folder, name))] = text
	}
	gittest.Commit(t, top, below)
	return top, filepath.Join(top, folder)
}

func module(more map[string]string) map[string]string {
	files := map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "m.go": sumGo}
	for name, text := range more {
		files[name] = text
	}
	return files
}

// diffOf changes files, and returns what git diff then prints. The files are as before afterwards.
func diffOf(t *testing.T, top string, files map[string]string, flags ...string) []byte {
	t.Helper()
	gittest.Write(t, top, files)
	gittest.Run(t, top, "add", "-A")
	out := gittest.Run(t, top, append([]string{"diff", "--cached"}, flags...)...)
	gittest.Run(t, top, "reset", "-q", "--hard")
	return []byte(out)
}

// tree returns the candidate that a source makes.
func tree(t *testing.T, dir string, s source) (*scratchCopy, *candidate, error) {
	t.Helper()
	c, err := openCopy(t.Context(), dir, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	got, err := c.makeCandidate(t.Context(), s)
	return c, got, err
}

func patch(text []byte) source { return source{name: "a.patch", patch: text, isPatch: true} }

// TestPatches checks that a patch becomes the files that git apply would make, whatever its paths start at, and
// that the user's files and repository stay as they are.
func TestPatches(t *testing.T) {
	changed := strings.Replace(sumGo, "i < n", "i <= n-1", 1)
	for _, folder := range []string{"", "go/m"} {
		top, dir := repository(t, folder, module(nil))
		name := filepath.ToSlash(filepath.Join(folder, "m.go"))
		fromTop := diffOf(t, top, map[string]string{name: changed})
		fromModule := []byte(strings.ReplaceAll(string(fromTop), name, "m.go"))
		plain := fromModule[strings.Index(string(fromModule), "--- a"):] // as diff -u prints it
		before := gittest.Run(t, top, "count-objects", "-v") + gittest.Run(t, top, "status", "--porcelain")
		for of, text := range map[string][]byte{"top": fromTop, "module": fromModule, "diff -u": plain} {
			c, got, err := tree(t, dir, patch(text))
			if err != nil {
				t.Errorf("%q, paths from %s: %v", folder, of, err)
				continue
			}
			if len(got.files) != 1 || got.files[0].path != name || got.files[0].status != "M" {
				t.Errorf("%q, paths from %s: changes %+v", folder, of, got.files)
			}
			if err := c.checkOut(t.Context(), got.tree); err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(filepath.Join(c.module, "m.go")); err != nil || string(text) != changed {
				t.Errorf("%q, paths from %s: %v, file\n%s", folder, of, err, text)
			}
		}
		if after := gittest.Run(t, top, "count-objects", "-v") + gittest.Run(t, top, "status", "--porcelain"); after != before {
			t.Errorf("the repository was\n%sand is\n%s", before, after)
		}
	}
}

// TestRefused has patches that don't apply or aren't allowed, and what the errors name.
func TestRefused(t *testing.T) {
	top, dir := repository(t, "go/m", module(map[string]string{"go.sum": ""}))
	gittest.Commit(t, top, map[string]string{"other/other.go": "package other\n"})
	if err := os.Symlink("m.go", filepath.Join(dir, "link.go")); err != nil {
		t.Skip(err)
	}
	gittest.Commit(t, top, nil)
	link := "diff --git a/go/m/out b/go/m/out\nnew file mode 120000\n--- /dev/null\n+++ b/go/m/out\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n"
	submodule := "diff --git a/go/m/sub b/go/m/sub\nnew file mode 160000\n--- /dev/null\n+++ b/go/m/sub\n@@ -0,0 +1 @@\n+Subproject commit 0123456789012345678901234567890123456789\n"
	newFile := func(name string) string {
		return "diff --git a/" + name + " b/" + name + "\nnew file mode 100644\n--- /dev/null\n+++ b/" + name + "\n@@ -0,0 +1 @@\n+package m\n"
	}
	for name, c := range map[string]struct{ patch, want string }{
		"other lines": {string(diffOf(t, top, map[string]string{"go/m/m.go": strings.Replace(sumGo, "i < n", "i <= n", 1)})), ""},
		"hunk": {"--- a/m.go\n+++ b/m.go\n@@ -3,3 +3,3 @@ func Sum\n func Sum(n int) int {\n-\tsum := 1\n+\tsum := 2\n \tfor i := 0; i < n; i++ {\n",
			`a.patch doesn't apply to HEAD: go/m/m.go has other lines at hunk "@@ -3,3 +3,3 @@ func Sum"`},
		"damaged":           {"--- a/m.go\n+++ b/m.go\n@@ -3,9 +3,3 @@\n func Sum(n int) int {\n", "damaged at line"},
		"no patch":          {"Here is the patch you asked for.\n", "a.patch doesn't apply to HEAD: No valid patches in input"},
		"empty":             {"\n", "a.patch is empty"},
		"missing file":      {"--- a/none.go\n+++ b/none.go\n@@ -1 +1 @@\n-package m\n+package n\n", "none.go: does not exist"},
		"parent":            {newFile("../../evil.go"), "invalid path '../../evil.go'"},
		"absolute":          {newFile("/tmp/evil.go"), "a.patch doesn't apply"},
		"inside and out":    {newFile("go/m/../../../evil.go"), "invalid path"},
		"git's folder":      {newFile(".git/hooks/post-checkout"), "invalid path '.git/hooks/post-checkout'"},
		"git's, below":      {newFile("go/m/.GIT/config"), "invalid path"},
		"another folder":    {newFile("other/evil.go"), `"other/evil.go" is outside of the module`},
		"attributes":        {newFile("go/m/.gitattributes"), `"go/m/.gitattributes" configures git`},
		"symbolic link":     {link, `"go/m/out" is a symbolic link`},
		"change of link":    {"--- a/link.go\n+++ b/link.go\n@@ -1 +1 @@\n-m.go\n\\ No newline at end of file\n+/etc/passwd\n\\ No newline at end of file\n", `"go/m/link.go" is a symbolic link`},
		"through a link":    {link + newFile("go/m/out/evil.go"), "evil.go"},
		"submodule":         {submodule, `"go/m/sub" is a submodule`},
		"binary":            {string(diffOf(t, top, map[string]string{"go/m/data": "\x00\x01\x02"}, "--binary")), `"go/m/data" is a binary file`},
		"without unpacking": {"diff --git a/go/m/data b/go/m/data\nnew file mode 100644\nindex 000..111\nGIT binary patch\nliteral 99999999\nnonsense\n", `"go/m/data" is a binary file`},
		"binary, no data":   {string(diffOf(t, top, map[string]string{"go/m/data": "\x00\x01\x02"})), "go/m/data"},
	} {
		t.Run(name, func(t *testing.T) {
			_, got, err := tree(t, dir, patch([]byte(c.patch)))
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want == "":
			case err == nil:
				t.Fatalf("applied: %+v", got.files)
			case !strings.Contains(err.Error(), c.want):
				t.Errorf("error %q doesn't say %q", err, c.want)
			}
		})
	}
}

// TestOtherSources checks revisions and the working tree.
func TestOtherSources(t *testing.T) {
	top, dir := repository(t, "", module(nil))
	gittest.Run(t, top, "branch", "start")
	gittest.Commit(t, top, map[string]string{"second.go": "package m\n"})
	gittest.Write(t, top, map[string]string{"new.go": "package m\n", ".gitignore": "ignored.go\n", "ignored.go": "package m\n"})
	before := gittest.Run(t, top, "count-objects", "-v") + gittest.Run(t, top, "status", "--porcelain")
	_, got, err := tree(t, dir, source{name: WorkingTree})
	if err != nil || len(got.files) != 2 || got.files[1].path != "new.go" {
		t.Errorf("working tree: %+v, %v", got, err)
	}
	if after := gittest.Run(t, top, "count-objects", "-v") + gittest.Run(t, top, "status", "--porcelain"); after != before {
		t.Errorf("the repository was\n%sand is\n%s", before, after)
	}
	c, err := openCopy(t.Context(), dir, "start")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got, err = c.makeCandidate(t.Context(), source{name: "start..", revision: "HEAD"}); err != nil || len(got.files) != 1 || got.files[0].path != "second.go" {
		t.Errorf("start..: %+v, %v", got, err)
	}
	for revision, want := range map[string]string{"start": "changes nothing", "strat": `no branch, tag or commit "strat"`} {
		if _, err := c.makeCandidate(t.Context(), source{name: revision, revision: revision}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", revision, err)
		}
	}
	if _, err := openCopy(t.Context(), t.TempDir(), "HEAD"); err == nil || !strings.Contains(err.Error(), "not in a git repository") {
		t.Errorf("outside of a repository: %v", err)
	}
}

func TestReadRequest(t *testing.T) {
	t.Chdir(t.TempDir())
	gittest.Write(t, ".", map[string]string{"a.patch": "A", "x/a.patch": "B", "a..b": "C"})
	for args, want := range map[string]string{
		"":                    "HEAD: working tree",
		"a.patch":             "HEAD: a.patch=A",
		"a.patch x/a.patch -": "HEAD: a.patch=A x/a.patch=B stdin=D",
		"a..b":                "HEAD: a..b=C", // a file
		"main..topic a.patch": "main: main..topic@topic a.patch=A",
		"main..":              "main: main..@HEAD",
		"..topic":             "HEAD: ..topic@topic",
		"v1.0..v1.1 v1.0..v2": "v1.0: v1.0..v1.1@v1.1 v1.0..v2@v2",
		"main..topic v1..v2":  "error: v1..v2 starts at v1, but another base is main",
		"../b.patch":          "error: no file ../b.patch",
		"main...topic":        "error: no file main...topic",
		"a.patch a.patch":     "error: a.patch is given twice",
		"- -":                 "error: - is given twice",
	} {
		r, err := readRequest(t.Context(), strings.Fields(args), "", strings.NewReader("D"))
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = r.base + ":"
			for _, s := range r.candidates {
				got += " " + s.name
				if s.isPatch {
					got += "=" + string(s.patch)
				}
				if s.revision != "" {
					got += "@" + s.revision
				}
			}
		}
		if got != want && !(strings.HasPrefix(want, "error") && strings.HasPrefix(got, want)) {
			t.Errorf("%q: %s, want %s", args, got, want)
		}
	}
}

// TestCommitNames checks that a candidate is found by its name, or has another one.
func TestCommitNames(t *testing.T) {
	_, dir := repository(t, "", module(nil))
	c, err := openCopy(t.Context(), dir, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	tree, err := c.git(t.Context(), nil, []byte{}, "mktree")
	if err != nil {
		t.Fatal(err)
	}
	for name, kept := range map[string]bool{"a.patch": true, "working tree": false, "main..topic": false, "HEAD": false, "-x": true, "a~1": false} {
		got, err := c.commit(t.Context(), tree, name)
		if err != nil || (got == name) != kept {
			t.Errorf("%s: named %s, %v", name, got, err)
		}
		if of, err := c.git(t.Context(), nil, nil, "rev-parse", "--verify", "--end-of-options", got+"^{tree}"); err != nil || strings.TrimPrefix(of, "--end-of-options\n") != tree {
			t.Errorf("%s is found as %s, %v", name, of, err)
		}
	}
}

// TestOutsideReplacement: a module may use code beside the repository.
func TestOutsideReplacement(t *testing.T) {
	parent := t.TempDir()
	gittest.Write(t, parent, map[string]string{"lib/go.mod": "module example.com/lib\n\ngo 1.24\n", "lib/lib.go": "package lib\n\nconst One = 1\n"})
	files := module(map[string]string{
		"go.mod":    "module example.com/m\n\ngo 1.24\n\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => ../lib\n",
		"m_test.go": strings.Replace(sumTest, `import "testing"`, "import (\n\t\"testing\"\n\n\t\"example.com/lib\"\n)\n\nvar _ = lib.One", 1),
	})
	gittest.Commit(t, filepath.Join(parent, "m"), files)
	gittest.Write(t, parent, map[string]string{"m/m.go": strings.Replace(sumGo, "sum += i", "sum = i + sum", 1)})
	check, _, err := checkOf(t, filepath.Join(parent, "m"), source{name: WorkingTree})
	if err != nil || check.State != Right {
		t.Errorf("%s: %s, %v\n%s", check.State, check.Why, err, check.Output)
	}
}
