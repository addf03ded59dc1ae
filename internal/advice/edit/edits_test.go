package edit

import "testing"

func TestLowerFirst(t *testing.T) {
	for name, want := range map[string]string{
		"Parse": "parse", "parse": "parse", "DWARF": "dwarf", "DWARFData": "dwarfData", "ID": "id", "A": "a", "AName": "aName", "X509Key": "x509Key", "Éa": "éa", "": "", "HTTP2": "http2",
	} {
		if got := LowerFirst(name); got != want {
			t.Errorf("LowerFirst(%q) is %q, want %q", name, got, want)
		}
	}
}
