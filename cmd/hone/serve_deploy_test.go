package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// deployFile returns the lines of a file of doc, comments too.
func deployFile(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "doc", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.ReplaceAll(string(text), "\\\n", ""), "\n")
}

// elsewhere returns a command line with what is at paths of a machine that the
// test is not on, and without -check, which the test adds.
func elsewhere(args []string, paths map[string]string) []string {
	var out []string
	for _, arg := range args {
		if there, ok := paths[arg]; ok {
			arg = there
		}
		if arg != "-check" {
			out = append(out, arg)
		}
	}
	return out
}

// TestServeUnit checks that hone takes the command lines of the unit for systemd,
// that its start is checked with the settings that it then has, and that both
// agree with the unit on where profiles are kept.
func TestServeUnit(t *testing.T) {
	data, config := t.TempDir(), writeConfig(t, "") // an empty file is enough
	settings := map[string][]string{}
	for _, line := range deployFile(t, "hone-serve.service") {
		if name, value, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			settings[name] = append(settings[name], value)
		}
	}
	start, before := settings["ExecStart"], settings["ExecStartPre"]
	if len(start) != 1 || len(before) != 1 || strings.Replace(before[0], " -check", "", 1) != start[0] || before[0] == start[0] {
		t.Fatalf("before the start: %q, the start: %q", before, start)
	}
	words := strings.Fields(start[0])
	if words[0] != "/usr/local/bin/hone" || words[1] != "serve" {
		t.Fatalf("starts %q", start[0])
	}
	args := elsewhere(words[1:], map[string]string{"/etc/hone/hone-serve.toml": config})
	if !slices.Contains(args, config) {
		t.Errorf("%q reads no settings of /etc/hone", start[0])
	}
	o := honeWith(t, map[string]string{"STATE_DIRECTORY": data}, "", append(args, "-check")...)
	if o.code != 0 || !strings.Contains(o.stdout, "profiles in "+data) {
		t.Errorf("%q: %+v, want the state directory of the unit", args, o)
	}
	if got := settings["StateDirectory"]; !slices.Equal(got, []string{"hone"}) {
		t.Errorf("the state directory is %q, and the unit says /var/lib/hone", got)
	}
	tokens := 0
	for _, line := range deployFile(t, "hone-serve.service") {
		if command, ok := strings.CutPrefix(line, "#   hone "); ok {
			tokens++
			succeed(t, elsewhere(strings.Fields(command), map[string]string{"/var/lib/hone": data})...)
		}
	}
	if tokens == 0 {
		t.Error("the unit doesn't tell how tokens are made")
	}
	// The service then asks for a login, and reads the tokens where they are.
	if o := honeWith(t, map[string]string{"STATE_DIRECTORY": data}, "", append(args, "-check")...); !strings.Contains(o.stdout, "login required, tokens in "+filepath.Join(data, "tokens.json")) {
		t.Errorf("with a token: %+v", o)
	}
}

// TestServeContainer checks that hone takes the command lines of the container
// file, that what it copies is there, and that its parts agree.
func TestServeContainer(t *testing.T) {
	dir := t.TempDir()
	cert, key := writeCertificate(t, dir, "one")
	paths := map[string]string{"/data": dir, "/tls/cert.pem": cert, "/tls/key.pem": key}
	lines := deployFile(t, "Containerfile")
	all := strings.Join(lines, "\n")
	instruction := func(name string) string {
		t.Helper()
		m := regexp.MustCompile(`(?m)^`+name+` (.*)$`).FindAllStringSubmatch(all, -1)
		if len(m) != 1 {
			t.Fatalf("%d lines of %s", len(m), name)
		}
		return m[0][1]
	}
	var entry []string
	if err := json.Unmarshal([]byte(instruction("ENTRYPOINT")), &entry); err != nil || len(entry) < 2 || entry[0] != "hone" || entry[1] != "serve" {
		t.Fatalf("the entry point is %q: %v", entry, err)
	}
	entry = elsewhere(entry[1:], paths)
	// As it is shown in the comment: arguments after the image's name are added.
	var shown [][]string
	for _, line := range lines {
		if _, args, ok := strings.Cut(line, " hone "); ok && strings.Contains(line, "podman run") {
			shown = append(shown, strings.Fields(strings.ReplaceAll(args, "#", "")))
		}
	}
	if len(shown) != 1 {
		t.Fatalf("%d command lines with podman run", len(shown))
	}
	for _, more := range append(shown, []string{"-allow-plaintext"}) {
		args := slices.Concat(entry, elsewhere(more, paths), []string{"-check"})
		o := hone(t, args...)
		if o.code != 0 || !strings.Contains(o.stdout, "listen on :"+instruction("EXPOSE")+", profiles in "+dir+", login required") {
			t.Errorf("%q: %+v", args, o)
		}
	}
	hone(t, append(entry, "-check")...).failsWith(t, 1, "-tls-cert", "-allow-plaintext")
	m := regexp.MustCompile(`podman exec CONTAINER hone (token .*)`).FindStringSubmatch(all)
	if m == nil {
		t.Fatal("it doesn't tell how tokens are made")
	}
	succeed(t, elsewhere(strings.Fields(m[1]), paths)...)

	root := filepath.Join("..", "..")
	for _, m := range regexp.MustCompile(`(?m)^COPY ([^-].*) \S+$`).FindAllStringSubmatch(all, -1) {
		for _, from := range strings.Fields(m[1]) {
			if _, err := os.Stat(filepath.Join(root, from)); err != nil {
				t.Errorf("copies %s: %v", from, err)
			}
		}
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	built := regexp.MustCompile(`(?m)^FROM golang:(\d+\.\d+) AS build$`).FindStringSubmatch(all)
	if built == nil || !regexp.MustCompile(`(?m)^go `+regexp.QuoteMeta(built[1])+`(\.\d+)?$`).Match(mod) {
		t.Errorf("it is built with %q, which is not the version of go.mod", built)
	}
	if !strings.Contains(all, "CGO_ENABLED=0 go build ") || !strings.Contains(all, "\nFROM scratch\n") {
		t.Error("an image from nothing needs a static program")
	}
	if user := instruction("USER"); !strings.Contains(all, "--chown="+user+" ") {
		t.Errorf("nothing belongs to the user %s", user)
	}
	if volume := instruction("VOLUME"); !slices.Contains(strings.Fields(strings.NewReplacer("[", " ", "]", " ", `"`, " ", ",", " ").Replace(instruction("ENTRYPOINT"))), volume) {
		t.Errorf("profiles are not kept in the volume %s", volume)
	}
}
