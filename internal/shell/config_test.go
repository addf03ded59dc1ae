package shell

import (
	"slices"
	"testing"
)

func TestConfigSet(t *testing.T) {
	tests := []struct {
		name, value string
		want        string // what Get then returns
		err         string
	}{
		{name: "focus", value: "a|b", want: "a|b"},
		{name: "nodecount", value: "12", want: "12"},
		{name: "nodecount", value: "-1", want: "-1"},
		{name: "nodecount", value: "x", err: `strconv.Atoi: parsing "x": invalid syntax`},
		{name: "nodecount", value: "", err: `strconv.Atoi: parsing "": invalid syntax`},
		{name: "divide_by", value: "2.50", want: "2.5"},
		{name: "divide_by", value: "x", err: `strconv.ParseFloat: parsing "x": invalid syntax`},
		{name: "trim", value: "N", want: "false"},
		{name: "mean", value: "", want: "true"},
		{name: "mean", value: "T", want: "true"},
		{name: "mean", value: "yes", want: "true"},
		{name: "mean", value: "1", want: "true"},
		{name: "mean", value: "0", want: "false"},
		{name: "mean", value: "maybe", err: `illegal value "maybe" for bool variable`},
		{name: "sort", value: "cum", want: "cum"},
		{name: "sort", value: "x", err: `invalid "sort" value "x"`},
		{name: "cum", value: "true", want: "true"},
		{name: "cum", value: "", want: "true"},
		{name: "cum", value: "false", err: `unknown config field "cum"`},
		{name: "lines", value: "1", want: "true"},
		{name: "granularity", value: "files", want: "files"},
		{name: "granularity", value: "", err: `invalid "granularity" value ""`},
		{name: "output", value: "f", want: "f"},
		{name: "mine", value: "", want: "true"},
		{name: "mine", value: "on|off", want: "on|off"},
		{name: "mine", value: "yes", want: "true"},
		{name: "mine", value: "false", want: ""},
		{name: "bogus", value: "f", err: `unknown config field "bogus"`},
	}
	for _, tt := range tests {
		c := DefaultConfig()
		err := c.Set(tt.name, tt.value)
		switch {
		case err != nil && err.Error() != tt.err, err == nil && tt.err != "":
			t.Errorf("Set(%s, %q): error %v, want %q", tt.name, tt.value, err, tt.err)
		case err == nil:
			if got, _ := c.Get(tt.name); got != tt.want {
				t.Errorf("after Set(%s, %q) Get returns %q", tt.name, tt.value, got)
			}
		}
	}
}

func TestVariablesRoundTrip(t *testing.T) {
	c := DefaultConfig()
	for _, name := range variableNames() {
		value, ok := c.Get(name)
		if !ok {
			t.Errorf("no variable %s", name)
		}
		if value == "" {
			continue
		}
		if err := c.Set(name, value); err != nil {
			t.Errorf("Set(%s, %q): %v", name, value, err)
		}
	}
	if c != DefaultConfig() {
		t.Errorf("setting every variable to its value changed %+v", c)
	}
	if _, ok := c.Get("bogus"); ok {
		t.Error("Get knows a variable bogus")
	}
}

func TestCommandsSorted(t *testing.T) {
	if !slices.IsSorted(Commands()) {
		t.Error("the table of commands is not sorted, which lookups rely on")
	}
	for _, name := range Commands() {
		if c := lookupCommand(name); c == nil || c.name != name {
			t.Errorf("lookupCommand(%s) = %v", name, c)
		}
	}
	if !takesParam("list") || takesParam("top") || takesParam("bogus") {
		t.Error("takesParam is wrong about list, top or bogus")
	}
}
