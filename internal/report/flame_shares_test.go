package report

import (
	"reflect"
	"testing"

	"github.com/hone-go/hone/profile"
)

func TestFlameSharesCountAll(t *testing.T) {
	p := runs(t, "main.main;time.Since 950\nmain.main;main.a 30\nmain.main;main.b 15\nmain.main;runtime.gc 5\n")[0]
	want := FlameShares{
		Packages: []PackageShare{{"main", 1, 1000}, {"time", 3, 950}, {"runtime", 4, 5}},
		Origins:  []int64{0, 45, 0, 950, 5},
		Wide:     []PackageName{{"main", 1}, {"time", 3}},
	}
	for _, inverted := range []bool{false, true} {
		tree, err := profile.NewTree(p, profile.TreeOptions{Inverted: inverted})
		if err != nil {
			t.Fatal(err)
		}
		// So narrow a window that most is not sent.
		w, err := NewFlameIndex(tree, Options{Unit: "auto"}, WidthsHead).Window(Window{Width: 3})
		if err != nil || !reflect.DeepEqual(w.Shares, want) {
			t.Errorf("inverted %v: got %+v, %v", inverted, w.Shares, err)
		}
	}
}
