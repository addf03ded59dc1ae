package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/daemon"
	"github.com/hone-go/hone/internal/ingest/scrape"
)

// tomlNames returns the names of the settings in a type, and in those of its fields.
func tomlNames(t reflect.Type) []string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return tomlNames(t.Elem())
	case reflect.Struct:
		var names []string
		for f := range t.Fields() {
			if name := f.Tag.Get("toml"); name != "" && name != "-" {
				names = append(names, name)
				names = append(names, tomlNames(f.Type)...)
			}
		}
		return names
	}
	return nil
}

// TestServeManual checks that the reference page shows all settings there are, and
// no others.
func TestServeManual(t *testing.T) {
	const manual = "doc/reference/configuration.md"
	toml := func(page string) (text []byte, blocks []string) {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?ms)^```toml\n(.*?)^```$").FindAllSubmatch(text, -1) {
			if _, err := daemon.ReadConfig(t.Context(), writeConfig(t, string(m[1]))); err != nil {
				t.Errorf("%s: %v", page, err)
			}
			blocks = append(blocks, string(m[1]))
		}
		return text, blocks
	}
	for page, want := range map[string]int{"doc/serve.md": 3, "doc/security.md": 2, "doc/cloud-profiler.md": 1, "doc/cluster.md": 1} {
		if _, blocks := toml(page); len(blocks) != want {
			t.Errorf("%s has %d blocks of settings, want %d", page, len(blocks), want)
		}
	}
	text, blocks := toml(manual)
	if len(blocks) != 4 {
		t.Fatalf("%s has %d blocks of settings", manual, len(blocks))
	}
	shown := map[string]bool{}
	table := ""
	for line := range strings.Lines(blocks[0]) {
		if m := regexp.MustCompile(`^\[+([a-z_.]+)\]+`).FindStringSubmatch(line); m != nil {
			table = m[1] + "."
		} else if name, _, ok := strings.Cut(line, " ="); ok {
			shown[table+strings.TrimSpace(name)] = true
		}
	}
	documented, err := daemon.ReadConfig(t.Context(), writeConfig(t, blocks[0]))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	var check func(inCode, inDoc reflect.Value, prefix string)
	check = func(inCode, inDoc reflect.Value, prefix string) {
		for i := range inCode.NumField() {
			f := inCode.Type().Field(i)
			name := f.Tag.Get("toml")
			if name == "" || name == "-" || name == "scrape" {
				continue // see below
			}
			name = prefix + name
			value, told := inCode.Field(i), inDoc.Field(i)
			if kind := f.Type; kind.Kind() == reflect.Struct && kind.Field(0).Tag.Get("toml") != "" && !shown[name] {
				check(value, told, name+".")
				continue
			}
			kind := f.Type
			if kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
				kind = kind.Elem()
			}
			if kind != f.Type && kind.Kind() == reflect.Struct && kind.Field(0).Tag.Get("toml") != "" {
				none := reflect.New(kind).Elem()
				check(none, none, name+".") // which has no defaults
				continue
			}
			switch {
			case !shown[name]:
				if name != "auth.oidc.client_secret" && name != "auth.oidc.rule.subject" && name != "notify.secret_env" { // in comments
					t.Errorf("%s doesn't show %s", manual, name)
				}
			case !value.IsZero():
				compared++
				if !reflect.DeepEqual(value.Interface(), told.Interface()) {
					t.Errorf("%s shows %s as %v, the default is %v", manual, name, told, value)
				}
			}
		}
	}
	check(reflect.ValueOf(*daemon.DefaultConfig("")), reflect.ValueOf(*documented), "")
	if compared < 20 {
		t.Errorf("%d defaults were compared", compared)
	}
	// Settings of scraping are partly in tables, and in lines that have several.
	mentioned := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z_]+)`|\\b([a-z_]+) =").FindAllSubmatch(text, -1) {
		mentioned[string(m[1])+string(m[2])] = true
	}
	settings := tomlNames(reflect.TypeFor[scrape.Job]())
	if len(settings) < 30 {
		t.Errorf("scraping has %d settings", len(settings))
	}
	for _, name := range settings {
		if !mentioned[name] {
			t.Errorf("%s doesn't mention %s, a setting of scraping", manual, name)
		}
	}
	for _, text := range []string{daemon.DefaultListen, daemon.DefaultProxy, "(30d; 0: forever)"} {
		if !strings.Contains(serveHelp, text) {
			t.Errorf("hone help serve doesn't tell of the default %s", text)
		}
	}
	if time.Duration(daemon.DefaultConfig("").Store.Retention) != 30*24*time.Hour {
		t.Error("the default of retention is not what hone help serve tells")
	}
}
