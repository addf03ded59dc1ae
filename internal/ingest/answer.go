package ingest

import (
	"bytes"
	"context"
	"io"
	"slices"
)

// DefaultAnswer is the default limit of an answer in bytes: about ten times the largest
// views of real profiles, and a fraction of DefaultMemory.
const DefaultAnswer = 128 << 20

// Answers limit what is answered: each answer has at most Most bytes, and all answers
// that are being made or sent take memory from Memory, as pushes do.
type Answers struct {
	Memory *Memory
	Most   int64
}

type answersKey struct{}

// WithAnswers returns a context with limits of answers.
func WithAnswers(ctx context.Context, a *Answers) context.Context {
	return context.WithValue(ctx, answersKey{}, a)
}

// AnswersOf returns the limits in the context. Without any it returns the default
// limits, with a Memory for this answer alone.
func AnswersOf(ctx context.Context) *Answers {
	if a, ok := ctx.Value(answersKey{}).(*Answers); ok {
		return a
	}
	return &Answers{NewMemory(0), DefaultAnswer}
}

// TooLarge returns the error of an answer that is too large.
func (a *Answers) TooLarge() error {
	return Errorf(TooLarge, "the answer is larger than %d bytes, the limit (-max-answer): ask for less, such as fewer rows (limit), "+
		"only stacks through some functions (focus), or a shorter time range; the command line has no limit for files", a.Most)
}

// Reserve takes memory for n bytes of an answer, which release gives back.
func (a *Answers) Reserve(ctx context.Context, n int64) (release func(), err error) {
	share := a.Memory.Share(ctx, 0)
	if err := share.Take(n); err != nil {
		share.Close()
		return nil, err
	}
	return share.Close, nil
}

// An AnswerBuffer holds an answer while it is written. It consists of pieces, since a
// buffer that grows by copying would take more than twice the memory. Writing fails
// above the limit, or if there is no memory. The caller closes it.
type AnswerBuffer struct {
	of     *Answers
	share  *Share
	pieces [][]byte
	size   int64
}

// Buffer returns an empty buffer.
func (a *Answers) Buffer(ctx context.Context) *AnswerBuffer {
	return &AnswerBuffer{of: a, share: a.Memory.Share(ctx, 0)}
}

const (
	firstPiece = 4 << 10
	maxPiece   = 1 << 20
)

// Write implements io.Writer. Its errors are of type *Error.
func (b *AnswerBuffer) Write(p []byte) (int, error) {
	if int64(len(p)) > b.of.Most-b.size {
		return 0, b.of.TooLarge()
	}
	n := len(p)
	for len(p) > 0 {
		last := len(b.pieces) - 1
		if last < 0 || len(b.pieces[last]) == cap(b.pieces[last]) {
			size := min(max(b.size, firstPiece), maxPiece)
			if err := b.share.Take(size); err != nil {
				return 0, err
			}
			b.pieces = append(b.pieces, make([]byte, 0, size))
			last++
		}
		piece := b.pieces[last]
		part := min(len(p), cap(piece)-len(piece))
		b.pieces[last] = append(piece, p[:part]...)
		b.size += int64(part)
		p = p[part:]
	}
	return n, nil
}

// Len returns the number of bytes that were written.
func (b *AnswerBuffer) Len() int64 { return b.size }

// Pieces returns what was written. The slices belong to the buffer.
func (b *AnswerBuffer) Pieces() [][]byte { return b.pieces }

// Bytes returns what was written in one piece.
func (b *AnswerBuffer) Bytes() ([]byte, error) {
	if len(b.pieces) <= 1 {
		return slices.Concat(b.pieces...), nil
	}
	if err := b.share.Take(b.size); err != nil {
		return nil, err
	}
	return bytes.Join(b.pieces, nil), nil
}

// Reserve takes memory for n bytes that the answer is made of.
func (b *AnswerBuffer) Reserve(n int64) error { return b.share.Take(n) }

// WriteTo implements io.WriterTo.
func (b *AnswerBuffer) WriteTo(w io.Writer) (n int64, err error) {
	for _, piece := range b.pieces {
		m, err := w.Write(piece)
		if n += int64(m); err != nil {
			return n, err
		}
	}
	return n, nil
}

// Close gives the memory back.
func (b *AnswerBuffer) Close() { b.share.Close() }
