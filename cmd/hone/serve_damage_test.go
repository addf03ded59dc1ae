package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
)

// get returns what the server answers.
func (d *serving) get(path string) string {
	d.t.Helper()
	r, err := http.Get(d.url + path)
	if err != nil {
		d.t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

func (d *serving) status() (st api.Status) {
	d.t.Helper()
	if err := json.Unmarshal([]byte(d.get("/api/v1/status")), &st); err != nil {
		d.t.Fatal(err)
	}
	return st
}

// A server whose store can't be opened starts all the same, takes profiles, brings back
// what was there, says so, and keeps the files.
func TestServeDamagedStore(t *testing.T) {
	for _, file := range []string{"MANIFEST-*", "marker.manifest.*"} {
		t.Run(file, func(t *testing.T) {
			data := t.TempDir()
			d := startServe(t, data)
			d.succeed("push", "-service", "api", "-time", "now", testdata("cpu.gc.pb.gz"))
			d.succeed("push", "-service", "web", "-time", "-10d", testdata("heap.cgo.pb.gz"))
			d.end()
			files, err := filepath.Glob(filepath.Join(data, "store", "MANIFEST-*"))
			if err != nil || len(files) == 0 {
				t.Fatalf("%q, %v", files, err)
			}
			for _, f := range files {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				b[len(b)/2] ^= 9 // one bit would be put right
				if err := os.WriteFile(f, b, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if file != "MANIFEST-*" { // neither says what the tables are, then
				markers, err := filepath.Glob(filepath.Join(data, "store", file))
				if err != nil || len(markers) != 1 || os.Remove(markers[0]) != nil {
					t.Fatalf("%q, %v", markers, err)
				}
			}
			broken := files[0]
			want, err := os.ReadFile(broken)
			if err != nil {
				t.Fatal(err)
			}

			d = startServe(t, data)
			d.succeed("push", "-service", "new", "-time", "now", testdata("cpu.gc.pb.gz"))
			aside := filepath.Join(data, "store.damaged")
			for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
				st := d.status()
				if len(st.Aside) == 0 {
					if st.Notices[0].Level == api.LevelWarning {
						break
					}
					continue // its directory gets another name
				}
				if a := st.Aside[0]; a.Profiles != nil || a.Since == 0 || a.Problem == "" || !strings.Contains(a.Next, "being brought back") {
					t.Errorf("set aside: %+v", a)
				}
				if time.Since(start) > time.Minute {
					t.Fatalf("it doesn't come back: %+v", st)
				}
			}
			st := d.status()
			if len(st.Notices) != 1 || st.Notices[0].Level != api.LevelWarning || !strings.Contains(st.Notices[0].Text, "profiles kept: 2; lost: 0") ||
				!strings.Contains(st.Notices[0].Text, aside) {
				t.Errorf("notices: %+v", st.Notices)
			}
			for _, want := range []string{"hone_store_recovering 0", `hone_store_recovered_total{result="kept"} 2`, "hone_store_profiles 3"} {
				if metrics := d.get("/metrics"); !strings.Contains(metrics, want+"\n") {
					t.Errorf("metrics lack %s", want)
				}
			}
			d.end()
			if log := d.stderr.String(); !strings.Contains(log, "the store can't be opened: its files were moved aside") || !strings.Contains(log, "profiles kept: 2; lost: 0") {
				t.Errorf("the log says\n%s", log)
			}
			if got, err := os.ReadFile(filepath.Join(aside, filepath.Base(broken))); err != nil || !bytes.Equal(got, want) {
				t.Errorf("the damaged file is not kept as it was: %v", err)
			}
			if o := hone(t, "store", "verify", data); o.code != 0 {
				t.Error(o)
			}
		})
	}
}

// A server starts whatever became of the files beside its store, keeps those that it
// can't read, and lets nobody in who was not let in before.
func TestServeDamagedSideFiles(t *testing.T) {
	data := t.TempDir()
	files := map[string]string{ // what the log says of them
		"markers.json": "posted again", "session.key": "sign in again", "sessions.json": "sign in again", "cloud-profiler.key": "Cloud Profiler agents",
	}
	for name := range files {
		if err := os.WriteFile(filepath.Join(data, name), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tokens := filepath.Join(data, "tokens.json")
	if err := os.WriteFile(tokens, []byte(`{"version":1,"tokens":[{"id":`), 0o600); err != nil {
		t.Fatal(err)
	}
	d := startServe(t, data)
	r, err := http.Get(d.url + "/api/v1/status")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusUnauthorized {
		t.Errorf("with a damaged file of tokens anybody is answered: %s", r.Status)
	}
	d.end()
	log := d.stderr.String()
	for name, says := range files {
		if !strings.Contains(log, name+".damaged") || !strings.Contains(log, says) {
			t.Errorf("the log doesn't say %q of %s:\n%s", says, name, log)
		}
		if got, err := os.ReadFile(filepath.Join(data, name+".damaged")); err != nil || string(got) != "{" {
			t.Errorf("%s is not kept: %q, %v", name, got, err)
		}
	}
	if !strings.Contains(log, "no token is accepted") || !strings.Contains(log, tokens) {
		t.Errorf("the log doesn't tell of the tokens:\n%s", log)
	}
	if _, err := os.Stat(tokens); err != nil {
		t.Errorf("the file of tokens is gone, so that a later start might need no login: %v", err)
	}
}

// A service is deleted from a server's store, and from a store that no server has open;
// without -yes it is said how many profiles that are.
func TestStoreDelete(t *testing.T) {
	data := t.TempDir()
	d := startServe(t, data)
	for _, service := range []string{"api", "web", "old"} {
		d.succeed("push", "-service", service, "-time", "now", testdata("cpu.gc.pb.gz"))
	}
	const would = "This would delete 1 profile of service"
	if out := d.succeed("store", "delete", "-service", "old", "-server", d.url); !strings.HasPrefix(out, would+" old.") {
		t.Errorf("got %q", out)
	}
	if out := d.succeed("store", "delete", "-service", "old", "-yes", "-server", d.url); out != "Deleted 1 profile of service old.\n" {
		t.Errorf("got %q", out)
	}
	d.hone("store", "delete", "-service", "old", "-server", d.url).failsWith(t, 1)
	d.end()
	if out := succeed(t, "store", "delete", "-service", "web", data); !strings.HasPrefix(out, would+" web.") {
		t.Errorf("got %q", out)
	}
	if out := succeed(t, "store", "delete", "-json", "-yes", "-service", "web", data); !strings.Contains(out, `"deleted": true`) {
		t.Errorf("got %q", out)
	}
	hone(t, "store", "delete", "-yes", "-service", "web", data).failsWith(t, 1)
	hone(t, "store", "delete", data).failsWith(t, 2)
	hone(t, "store", "stats", "-yes", data).failsWith(t, 2)
	if out := succeed(t, "store", "stats", data); strings.Contains(out, "web") || strings.Contains(out, "old") || !strings.Contains(out, "api") {
		t.Errorf("left is\n%s", out)
	}
	if o := hone(t, "store", "verify", data); o.code != 0 {
		t.Error(o)
	}
}
