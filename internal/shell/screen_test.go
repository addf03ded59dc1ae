package shell

import (
	"strings"
	"testing"
)

// TestScreenRewrite: a line is written anew, and a name in it writes over nothing.
func TestScreenRewrite(t *testing.T) {
	var b strings.Builder
	s := NewScreen(&b)
	s.Rewrite(0, "one")
	s.Rewrite(3, "a\rb")
	if want := "\r\rone\r   \ra\\u000db"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestScreenRed(t *testing.T) {
	var b strings.Builder
	NewScreen(&b).Red("a\u202eb\n")
	if want := "\033[0;31ma\\u202eb\n\033[0m"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// TestScreen: a name can't read as another one on a terminal, however it is cut into writes.
func TestScreen(t *testing.T) {
	const name = "a\u202eeltrut\u202c\x1b[2Jé\tover\rشعلة\r\n"
	const want = `a\u202eeltrut\u202c\u001b[2Jé` + "\tover" + `\u000d` + "شعلة\r\n"
	for size := 1; size <= len(name); size++ {
		var b strings.Builder
		s := NewScreen(&b)
		for at := 0; at < len(name); at += size {
			part := name[at:min(at+size, len(name))]
			if n, err := s.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if b.String() != want {
			t.Errorf("%d bytes at a time: %q, want %q", size, b.String(), want)
		}
	}
}
