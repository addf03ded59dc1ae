package target

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
)

func init() {
	const about = "hone serve on ClickHouse, "
	Register("clickhouse", about+"the machine's, one server", "CLICKHOUSE_BIN", func() Target { return &clickHouse{hone: newHone()} })
	Register("clickhouse-today", about+"today's engine", "CLICKHOUSE_BIN", func() Target { return &clickHouse{hone: newHone(), today: true} })
}

// clickHouse is hone with its store elsewhere. Its program is cmd/onclickhouse, which
// starts both; what they use counts together.
type clickHouse struct {
	*hone
	today bool
}

// Command needs HONE_BIN, and for today's engine CLICKHOUSE_TODAY and CLICKHOUSE_SHIM, the
// folder of the engine and the file of its shim.
func (c *clickHouse) Command(e Env) (argv, environ []string) {
	argv = []string{e.Bin, "-hone", os.Getenv("HONE_BIN"), "-data", e.Data}
	if c.today {
		argv = append(argv, "-today", os.Getenv("CLICKHOUSE_TODAY"), "-shim", os.Getenv("CLICKHOUSE_SHIM"))
	}
	return argv, []string{"HOME=" + e.Data}
}

// Busy waits for the engine's merges.
func (c *clickHouse) Busy(ctx context.Context) (bool, error) {
	n, err := c.ask(ctx, "SELECT count() FROM system.merges")
	return n > 0, err
}

// LiveBytes is what the tables take, without parts that were merged into others.
func (c *clickHouse) LiveBytes(ctx context.Context, _, _ int64) (int64, error) {
	return c.ask(ctx, "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'hone'")
}

// ask asks the engine for a number.
func (c *clickHouse) ask(ctx context.Context, sql string) (int64, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", "http://127.0.0.1:4710/?"+url.Values{"query": {sql}}.Encode(), nil)
	if err != nil {
		return -1, err
	}
	resp, err := c.hc.Do(r)
	if err != nil {
		return -1, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return -1, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		return -1, fmt.Errorf("the engine answers %.200s", b)
	}
	return n, nil
}
