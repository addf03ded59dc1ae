package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/report"
)

// encoded are the interfaces of web/src/api that pages take answers for, and what Go
// encodes the answers from, with fields that can't be made up. Interfaces that these
// consist of are checked with them.
var encoded = map[string]any{
	"Profiles":    api.ProfileList{},
	"Build":       api.Build{},
	"ProfileInfo": api.Info{},
	"SavedView":   api.View{},

	"Top":         report.Top{},
	"Tree":        report.Tree{},
	"Source":      report.WebListing{},
	"SourceDiff":  report.SourceDiff{},
	"Disassembly": report.Disassembly{},
	"Traces":      report.TracesReport{},
	"Tags":        report.Tags{},
	"Grid":        report.Grid{},
	"Raw":         report.RawPage{},
	"Graph":       report.PlacedGraph{},
	"Diff":        report.Diff{},
	"Summary":     report.Summary{},
	"Flame":       report.FlameWindow{},
	"FlameSearch": report.FlameSearch{},

	"RunList":    api.RunList{},
	"RunVerdict": api.RunVerdict{},
	"RunInfo":    api.RunAbout{},
	"RunLoad":    api.RunLoad{},
	"Comparison": api.Comparison{},
	"Trend":      api.Trend{},

	"Advice":         api.Advice{},
	"AdviceProgress": api.AdviceProgress{},

	"Service":            api.Service{},
	"Overview":           api.Overview{},
	"ServiceChanges":     api.ServiceChanges{},
	"StoreLabel":         api.Label{},
	"OverTime":           api.OverTime{},
	"HeatMap":            api.HeatMap{},
	"History":            api.History{},
	"Records":            api.Records{},
	"Marker":             api.Marker{},
	"Regressions":        api.Regressions{},
	"RegressionSummary":  api.RegressionSummary{},
	"NotificationTarget": api.NotificationTarget{},
	"NotificationTest":   api.NotificationTest{},
	"Endpoints":          api.Endpoints{},
	"Exemplars":          api.Exemplars{},
	"Status":             api.Status{Store: map[string]any{"files": 1}}, // what it has depends on the store
}

// unencoded are interfaces that no single Go type is encoded to.
var unencoded = map[string]string{
	"Answer":   "its report is one of the others; internal/server/reports puts it together",
	"Services": "internal/server/stored puts it together",
}

// Pages rely on what web/src/api says of answers. Each field that is required there
// is in every answer, each field is in some answer, and all values are of its type.
func TestTypeScript(t *testing.T) {
	types := readTypeScript(t)
	for _, name := range slices.Sorted(maps.Keys(encoded)) {
		t.Run(name, func(t *testing.T) {
			if types[name] == nil {
				t.Fatalf("web/src/api has no interface %s", name)
			}
			given := reflect.ValueOf(encoded[name])
			typ := given.Type()
			for _, full := range []bool{true, false} {
				v := sample(typ, full, 0)
				for i := range typ.NumField() {
					if !given.Field(i).IsZero() {
						v.Field(i).Set(given.Field(i))
					}
				}
				text, err := json.Marshal(v.Interface())
				if err != nil {
					t.Fatal(err)
				}
				var value any
				if err := json.Unmarshal(text, &value); err != nil {
					t.Fatal(err)
				}
				c := checker{types: types, full: full}
				c.check(name, value, tsName{name})
				for _, wrong := range c.wrong {
					t.Errorf("%v encodes to another type than web/src/api has: %s", typ, wrong)
				}
			}
		})
	}
	for name, typ := range types {
		if !typ.reached && unencoded[name] == "" {
			t.Errorf("web/src/api: interface %s is in no answer of the list encoded", name)
		}
	}
	for name := range unencoded {
		if types[name] == nil || types[name].reached {
			t.Errorf("unencoded: %s is checked, or web/src/api doesn't have it: remove it", name)
		}
	}
}

// sample makes a value of a type. A full one has something everywhere. One that is not
// has lists and maps without an entry, nil pointers and zeros.
func sample(t reflect.Type, full bool, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	if depth > 12 {
		return v
	}
	if t == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(1, 0)))
		return v
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		v.Set(reflect.ValueOf(json.RawMessage("{}")))
		return v
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Tag.Get("json") == "-" || !f.IsExported() && !f.Anonymous {
				continue
			}
			if v.Field(i).CanSet() {
				// An embedded pointer is never nil in an answer.
				v.Field(i).Set(sample(f.Type, full, depth+1))
				if f.Anonymous && f.Type.Kind() == reflect.Pointer && !full {
					v.Field(i).Set(sample(f.Type.Elem(), full, depth+1).Addr())
				}
			}
		}
	case reflect.Slice:
		if !full {
			return reflect.MakeSlice(t, 0, 0)
		}
		v = reflect.MakeSlice(t, 1, 1)
		v.Index(0).Set(sample(t.Elem(), full, depth+1))
	case reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(sample(t.Elem(), full, depth+1))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		if full {
			v.SetMapIndex(sample(t.Key(), full, depth+1), sample(t.Elem(), full, depth+1))
		}
	case reflect.Pointer:
		if full {
			p := reflect.New(t.Elem())
			p.Elem().Set(sample(t.Elem(), full, depth+1))
			v.Set(p)
		}
	case reflect.Interface:
		if full && t.NumMethod() == 0 {
			v.Set(reflect.ValueOf(1.5))
		}
	case reflect.String:
		if full {
			v.SetString("x")
		}
	case reflect.Bool:
		v.SetBool(full)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if full {
			v.SetInt(1)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if full {
			v.SetUint(1)
		}
	case reflect.Float32, reflect.Float64:
		if full {
			v.SetFloat(1)
		}
	}
	return v
}

// A tsDeclaration is an interface or type of the sources.
type tsDeclaration struct {
	typ     tsType
	extends []string
	reached bool
}

// What types are made of.
type (
	tsType  interface{ String() string }
	tsName  struct{ name string } // string, number, an interface
	tsList  struct{ of tsType }
	tsTuple struct{ of []tsType }
	tsMap   struct{ of tsType }
	tsUnion struct{ of []tsType }
	tsField struct {
		name     string
		optional bool
		typ      tsType
	}
	tsObject struct{ fields []tsField }
)

func (t tsName) String() string   { return t.name }
func (t tsList) String() string   { return t.of.String() + "[]" }
func (t tsTuple) String() string  { return fmt.Sprint(t.of) }
func (t tsMap) String() string    { return "Record<string, " + t.of.String() + ">" }
func (t tsUnion) String() string  { return fmt.Sprint(t.of) }
func (t tsObject) String() string { return "an object" }

// A checker compares values with types.
type checker struct {
	types map[string]*tsDeclaration
	full  bool // the values have all fields
	wrong []string
}

func (c *checker) errorf(at, format string, args ...any) {
	c.wrong = append(c.wrong, at+": "+fmt.Sprintf(format, args...))
}

func (c *checker) check(at string, v any, t tsType) {
	switch t := t.(type) {
	case tsName:
		d := c.types[t.name]
		switch {
		case d != nil:
			d.reached = true
			c.check(at, v, d.typ)
			for _, base := range d.extends {
				c.check(at, v, tsName{base})
			}
		case t.name != "unknown" && kindOf(v) != t.name:
			c.errorf(at, "%v is %s, not %s", v, kindOf(v), t)
		}
	case tsUnion:
		for _, one := range t.of {
			trial := checker{types: c.types, full: c.full}
			if trial.check(at, v, one); len(trial.wrong) == 0 {
				return
			}
			if _, plain := one.(tsName); !plain && v != nil && kindOf(v) == "object" {
				c.wrong = append(c.wrong, trial.wrong...)
				return
			}
		}
		c.errorf(at, "%v is none of %s", v, t)
	case tsList:
		list, ok := v.([]any)
		if !ok {
			c.errorf(at, "%v is %s, not %s", v, kindOf(v), t)
		}
		for _, e := range list {
			c.check(at+"[]", e, t.of)
		}
	case tsTuple:
		list, ok := v.([]any)
		if !ok || len(list) != len(t.of) {
			c.errorf(at, "%v is not %s", v, t)
			return
		}
		for i, e := range list {
			c.check(at+"[]", e, t.of[i])
		}
	case tsMap:
		fields, ok := v.(map[string]any)
		if !ok {
			c.errorf(at, "%v is %s, not %s", v, kindOf(v), t)
		}
		for _, e := range fields {
			c.check(at+"{}", e, t.of)
		}
	case tsObject:
		fields, ok := v.(map[string]any)
		if !ok {
			c.errorf(at, "%v is %s, not an object", v, kindOf(v))
			return
		}
		for _, f := range t.fields {
			switch e, ok := fields[f.name]; {
			case ok:
				c.check(at+"."+f.name, e, f.typ)
			case c.full:
				c.errorf(at, "there is no field %s", f.name)
			case !f.optional:
				c.errorf(at, "field %s is left out when empty, and is not optional", f.name)
			}
		}
	}
}

// kindOf is what TypeScript calls the type of a value.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "a list"
	}
	return "object"
}

var (
	tsComment = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	tsStart   = regexp.MustCompile(`export (interface|type) (\w+)(?:<\w+>)?(?: extends ([\w, ]+))? (=|\{)`)
	tsToken   = regexp.MustCompile(`'[^']*'|-?\w+|[^\s]`)
)

// readTypeScript returns the interfaces of web/src/api.
func readTypeScript(t *testing.T) map[string]*tsDeclaration {
	t.Helper()
	files, err := filepath.Glob("../../web/src/api/*.ts")
	if err != nil || len(files) == 0 {
		t.Fatalf("web/src/api has no sources (%v)", err)
	}
	types := map[string]*tsDeclaration{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source := tsComment.ReplaceAllString(string(text), "")
		for _, m := range tsStart.FindAllStringSubmatchIndex(source, -1) {
			name := source[m[4]:m[5]]
			rest := source[m[8]:]
			d := &tsDeclaration{}
			if source[m[2]:m[3]] == "type" {
				if name == "Params" {
					continue // of requests
				}
				rest = strings.TrimPrefix(rest, "=")
			} else if types[name] != nil {
				t.Errorf("%s: a second interface %s", file, name)
			}
			if m[6] >= 0 {
				d.extends = strings.Split(source[m[6]:m[7]], ", ")
			}
			p := tsParser{rest: rest}
			d.typ = p.union()
			if p.failed != "" {
				t.Fatalf("%s: interface %s: can't read %q", file, name, p.failed)
			}
			types[name] = d
		}
	}
	return types
}

// A tsParser reads types from the start of a text.
type tsParser struct {
	rest   string
	failed string // where it could not go on
}

func (p *tsParser) peek() string {
	at := tsToken.FindStringIndex(p.rest)
	if at == nil {
		return ""
	}
	return p.rest[at[0]:at[1]]
}

func (p *tsParser) next() string {
	at := tsToken.FindStringIndex(p.rest)
	if at == nil {
		return ""
	}
	token := p.rest[at[0]:at[1]]
	p.rest = p.rest[at[1]:]
	return token
}

func (p *tsParser) take(token string) bool {
	if p.peek() != token {
		return false
	}
	p.next()
	return true
}

func (p *tsParser) need(token string) {
	if !p.take(token) && p.failed == "" {
		p.failed = token + " before " + p.rest[:min(40, len(p.rest))]
	}
}

func (p *tsParser) union() tsType {
	p.take("|")
	types := []tsType{p.one()}
	for p.take("|") {
		types = append(types, p.one())
	}
	if len(types) == 1 {
		return types[0]
	}
	return tsUnion{types}
}

func (p *tsParser) one() tsType {
	var t tsType
	switch token := p.next(); {
	case token == "{":
		t = p.object()
	case token == "(":
		t = p.union()
		p.need(")")
	case token == "[":
		var tuple tsTuple
		for p.failed == "" && !p.take("]") {
			tuple.of = append(tuple.of, p.union())
			p.take(",")
		}
		t = tuple
	case token == "Record":
		p.need("<")
		p.need("string")
		p.need(",")
		t = tsMap{p.union()}
		p.need(">")
	case strings.HasPrefix(token, "'"):
		t = tsName{"string"}
	case token != "" && strings.Trim(token, "-0123456789") == "":
		t = tsName{"number"}
	default:
		t = tsName{token}
	}
	for p.take("[") {
		p.need("]")
		t = tsList{t}
	}
	return t
}

func (p *tsParser) object() tsType {
	var o tsObject
	for p.failed == "" && !p.take("}") {
		name := strings.Trim(p.next(), "'")
		optional := p.take("?")
		p.need(":")
		o.fields = append(o.fields, tsField{name, optional, p.union()})
		if p.peek() != "}" { // the last one needs no semicolon
			p.need(";")
		}
	}
	return o
}
