package reports

import (
	"context"
	"io"

	"github.com/hone-go/hone/internal/server"
)

// reportAnswer returns a report as JSON. rows is the number of all its rows, nil
// if it can't be cut.
func reportAnswer(ctx context.Context, v any, w *Warnings, rows *int) (*server.Answer, error) {
	return server.JSONAnswer(ctx, struct {
		Report   any      `json:"report"`
		Warnings []string `json:"warnings"`
		Rows     *int     `json:"rows,omitempty"`
	}{v, w.list, rows})
}

// written returns what write writes as an answer.
func (q *query) written(ctx context.Context, write func(io.Writer) error) (*server.Answer, error) {
	return server.Compose(ctx, q.contentType(), write)
}
