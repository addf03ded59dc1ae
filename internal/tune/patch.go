package tune

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"mime"
	"net/mail"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/git"
)

// nobody is the author of patches where git knows of none: git am takes no mail
// without one.
var nobody = mail.Address{Name: "hone", Address: "hone@localhost"}

// author is who git takes for the author of commits in the folder around dir.
func author(dir string) mail.Address {
	get := func(key string) string {
		out, err := git.Run(context.Background(), filepath.Dir(dir), nil, nil, "config", "--get", key)
		if err != nil {
			return "" // not set, or no git
		}
		return strings.TrimSpace(string(out))
	}
	a := mail.Address{Name: get("user.name"), Address: get("user.email")}
	if a.Name == "" || a.Address == "" {
		return nobody
	}
	return a
}

// fromTop returns the diff of a rewrite with paths from the top of its git repository and git's own headers, by which git
// apply and git am take it in any folder: the module may be in a subfolder. Without a repository, the diff stays as it is.
func fromTop(fix *advice.Fix) string {
	var b strings.Builder
	for _, c := range fix.Files {
		prefix, err := git.Run(context.Background(), filepath.Dir(c.File), nil, nil, "rev-parse", "--show-prefix")
		if err != nil {
			return fix.Diff
		}
		name := strings.TrimRight(string(prefix), "\r\n") + filepath.Base(c.File)
		fmt.Fprintf(&b, "diff --git a/%[1]s b/%[1]s\n", name)
		if c.New {
			b.WriteString("new file mode 100644\n")
		}
		b.WriteString(c.Unified(name))
	}
	return b.String()
}

// mailText is a kept rewrite as git format-patch writes a commit, a mail in a mbox: what
// git apply and git am take.
func mailText(r *Result, f *advice.Finding, from mail.Address, diff string) []byte {
	var b bytes.Buffer
	// The first line has mail readers and file(1) know the format; its date is git's own.
	fmt.Fprintf(&b, "From %040d Mon Sep 17 00:00:00 2001\n", 0)
	fmt.Fprintf(&b, "From: %s\nDate: %s\n", from.String(), r.Time.Format(time.RFC1123Z))
	fmt.Fprintf(&b, "Subject: %s\n", mime.QEncoding.Encode("utf-8", "[PATCH] "+subject(r, f)))
	fmt.Fprintf(&b, "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n\n")
	fmt.Fprintf(&b, "In %s, %s.\n\n%s\n\n", cmp.Or(f.Function, filepath.Base(f.File)), f.Title, f.Why)
	if r.Tests != "" {
		fmt.Fprintf(&b, "Tests: %s.\n\n", r.Tests)
	}
	fmt.Fprintf(&b, "Measured with hone, interleaved with the code before this change:\n\n")
	for _, c := range r.Changes {
		if isTime(c.Unit) || c.IsClock() || c.Unit == "B/op" || c.Unit == "allocs/op" {
			fmt.Fprintf(&b, "    %-40s %12.6g → %-12.6g %-10s %s\n", c.Benchmark, c.Before, c.After, c.Unit, c.Verdict)
		}
	}
	fmt.Fprintf(&b, "---\n%s", diff)
	return b.Bytes()
}

// subject says in the imperative what a rewrite does, after the name of its package. What is
// kept without being faster allocates less.
func subject(r *Result, f *advice.Finding) string {
	does := "reduce allocations in"
	if slices.ContainsFunc(r.Changes, func(c Change) bool { return c.IsClock() && c.Confirmed && c.After < c.Before }) {
		does = "speed up"
	}
	pkg := f.Package[strings.LastIndexByte(f.Package, '/')+1:]
	return fmt.Sprintf("%s: %s %s (%s)", pkg, does, cmp.Or(f.Function, filepath.Base(f.File)), f.Rule)
}
