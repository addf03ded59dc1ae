package history

// requires are modules of repositories that are older than modules, where the newest
// version can't be asked for.
var requires = map[string][]string{
	"gin-gonic/gin": {"github.com/mattn/go-isatty@v0.0.20"},
	"go-kit/log":    {"github.com/go-stack/stack@v1.8.1", "github.com/go-logfmt/logfmt@v0.6.0"},
}

// paths are of modules of such repositories that import themselves by another name.
var paths = map[string]string{
	"chaisql/chai":            "github.com/asdine/genji",
	"golang/crypto":           "golang.org/x/crypto",
	"golang/exp":              "golang.org/x/exp",
	"golang/image":            "golang.org/x/image",
	"go-kit/log":              "github.com/go-kit/kit/log",
	"google/starlark-go":      "go.starlark.net",
	"grafana/carbon-relay-ng": "github.com/graphite-ng/carbon-relay-ng",
	"uber-go/dig":             "go.uber.org/dig",
}
