package parca

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"connectrpc.com/connect"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/parca/arrow"
	"github.com/hone-go/hone/internal/ingest/parca/parcapb"
	"github.com/hone-go/hone/internal/ingest/wire"
)

// Parca's agent sends Arrow records in one of two schemas, which the records'
// metadata names. In both, a row is a sample. In the second schema, sent to
// WriteArrow, a row has its stack. In the first one, sent to Write, it has the ID
// of a stack, and the server asks for the stacks that it doesn't know. hone always
// asks for all stacks. Remembering IDs would take memory to save a few hundred KB
// every few seconds, and a restart would lose them.

// patience limits the time of a stream, which keeps the sender's first message in
// memory while it waits for the second.
const patience = 30 * time.Second

// An arrowService serves the calls that take Arrow records.
type arrowService struct {
	recv     ingest.Receiver
	patience time.Duration // how long a stream may take
}

func (p arrowService) mount(mux *http.ServeMux) {
	options := wire.PushOptions(p.recv.Limits(), 0)
	mux.Handle(service+"WriteArrow", connect.NewUnaryHandlerSimple(service+"WriteArrow", p.writeArrow, options...))
	stream := connect.NewBidiStreamHandler(service+"Write", p.writeStream, options...)
	mux.HandleFunc(service+"Write", func(w http.ResponseWriter, r *http.Request) {
		// If deadlines aren't supported, those of the server apply.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(p.patience))
		stream.ServeHTTP(w, r)
	})
	mux.Handle(debuginfo+"ShouldInitiateUpload", connect.NewUnaryHandlerSimple(debuginfo+"ShouldInitiateUpload", shouldInitiateUpload, options...))
}

func (p arrowService) writeArrow(ctx context.Context, req *parcapb.WriteArrowRequest) (*parcapb.WriteArrowResponse, error) {
	c := newConverter(p.recv.Limits(), ingest.ShareOf(ctx))
	err := c.readSamples(req.GetIpcBuffer())
	if err == nil && len(c.missing) > 0 {
		err = ingest.Errorf(ingest.Malformed, "the record has IDs of stacks instead of stacks: send schema v1 with the call Write")
	}
	if err == nil {
		err = p.keep(ctx, c)
	}
	if err != nil {
		return nil, wire.ConnectError(asIngest(err))
	}
	return &parcapb.WriteArrowResponse{}, nil
}

// writeStream receives samples, asks for their stacks and receives those. If the
// stream ends without an error, everything was kept.
func (p arrowService) writeStream(ctx context.Context, stream *connect.BidiStream[parcapb.WriteRequest, parcapb.WriteResponse]) error {
	req, err := stream.Receive()
	if errors.Is(err, io.EOF) {
		return nil // nothing to keep is kept
	}
	if err != nil {
		return receiving(err)
	}
	c := newConverter(p.recv.Limits(), ingest.ShareOf(ctx))
	if err := c.readSamples(req.GetRecord()); err != nil {
		return wire.ConnectError(asIngest(err))
	}
	if len(c.missing) > 0 {
		if err := stream.Send(&parcapb.WriteResponse{Record: arrow.AppendTexts(nil, "stacktrace_id", c.missing)}); err != nil {
			return err
		}
		held := c.taken + int64(len(req.GetRecord()))
		req, err := stream.Receive()
		if errors.Is(err, io.EOF) {
			return wire.ConnectError(ingest.Errorf(ingest.Malformed, "the stream ended without the stacks of its samples"))
		}
		if err != nil {
			return receiving(err)
		}
		// Reading a message releases the memory of the previous one.
		if c.share != nil {
			if err := c.share.Take(held); err != nil {
				return wire.ConnectError(asIngest(err))
			}
		}
		if err := c.readStacks(req.GetRecord()); err != nil {
			return wire.ConnectError(asIngest(err))
		}
	}
	if err := p.keep(ctx, c); err != nil {
		return wire.ConnectError(asIngest(err))
	}
	return nil
}

// receiving converts an error of receiving a message. Connect reports errors of the
// request's memory and limits as a broken protocol.
func receiving(err error) error {
	var refused *ingest.Error
	if errors.As(err, &refused) {
		return wire.ConnectError(refused)
	}
	return err
}

// keep keeps the profiles that were read, without unreadable samples. The protocol
// can report those only as an error, although the rest was kept.
func (p arrowService) keep(ctx context.Context, c *converter) error {
	pushes, err := c.pushes()
	if err == nil && c.bad > 0 {
		refused := wire.Error(c.reason)
		pushes = append(pushes, ingest.Push{Err: ingest.Errorf(refused.Reason, "%d of %d samples are invalid and left out; the others are kept: %w", c.bad, c.rows, refused)})
	}
	if err != nil || len(pushes) == 0 {
		return err
	}
	return p.recv.Receive(ctx, Protocol, pushes...)
}

// asIngest converts an error of a converter to one of a Receiver.
func asIngest(err error) error {
	var e *ingest.Error
	var limit *arrow.LimitError
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &limit):
		return &ingest.Error{Reason: ingest.TooLarge, Err: err}
	}
	return &ingest.Error{Reason: ingest.Malformed, Err: err}
}

const debuginfo = "/parca.debuginfo.v1alpha1.DebuginfoService/"

// shouldInitiateUpload tells agents that the server doesn't want debug information.
// Without an answer, they would ask again for each executable and log errors.
func shouldInitiateUpload(context.Context, *parcapb.ShouldInitiateUploadRequest) (*parcapb.ShouldInitiateUploadResponse, error) {
	return &parcapb.ShouldInitiateUploadResponse{Reason: "hone keeps no debug information"}, nil
}
