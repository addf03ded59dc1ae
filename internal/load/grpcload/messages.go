package grpcload

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/template"
)

// messages are what a request sends.
type messages struct {
	static bool
	body   []byte // if static
	all    []requestMessage
	gzip   bool
	input  protoreflect.MessageDescriptor
	types  *dynamicpb.Types
}

// A requestMessage is one message of a request, in the one of three forms that is
// set: encoded already, as a plan, or as JSON that is encoded for each request.
type requestMessage struct {
	wire []byte
	plan plan
	json *document
}

// requestValues fill in one request at a time. A call keeps its own, so that requests
// are made without allocations.
type requestValues struct {
	template.Values
	random *rand.PCG // the source of Values.Rng
	text   []byte    // scratch space
}

func newRequestValues() *requestValues {
	pcg := rand.NewPCG(0, 0)
	return &requestValues{Values: template.Values{Rng: rand.New(pcg)}, random: pcg}
}

// set prepares the values of request n: its row of the feed, and random numbers that
// follow from seed and stream alone.
func (v *requestValues) set(n int64, seed, stream uint64, feed *template.Feed) {
	v.random.Seed(seed, stream)
	v.N, v.Row = n, feed.Row(n)
}

// checked is how many rows of a feed are tried before anything is sent: all, where
// that is quick.
const (
	checked     = 1 << 20
	checkedJSON = 1000
)

func newMessages(method protoreflect.MethodDescriptor, o Options) (*messages, error) {
	parse := parseSource
	if o.Literal {
		parse = literalSource
	}
	s, err := parse(o.DataName, o.Data, o.Feed)
	if err != nil {
		return nil, err
	}
	m := &messages{gzip: o.Gzip, input: method.Input(), types: anyTypes(method.ParentFile()), static: true}
	documents := []document{s.whole()}
	if method.IsStreamingClient() {
		if documents, err = s.documents(); err != nil {
			return nil, err
		}
	}
	rows := checked
	for _, d := range documents {
		one, err := m.compile(d, o)
		if err != nil {
			return nil, err
		}
		if one.json != nil {
			rows = checkedJSON
		}
		m.static = m.static && one.wire != nil
		m.all = append(m.all, one)
	}
	v := newRequestValues()
	if m.static {
		m.body, err = m.append(nil, v)
		return m, err
	}
	if o.Feed == nil {
		rows = 1
	} else {
		rows = min(rows, o.Feed.Rows())
	}
	var body []byte
	for n := range int64(rows) {
		v.set(n, o.Seed, uint64(n), o.Feed)
		if body, err = m.append(body[:0], v); err != nil {
			if o.Feed != nil {
				return nil, fmt.Errorf("%s, row %d of the feed: %w", o.DataName, n+1, err)
			}
			return nil, fmt.Errorf("%s: %w", o.DataName, err)
		}
	}
	return m, nil
}

// anyTypes returns the types that an Any in a message of file f may hold: those of f
// and of all that it imports.
func anyTypes(f protoreflect.FileDescriptor) *dynamicpb.Types {
	files := &protoregistry.Files{}
	var add func(protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if _, err := files.FindFileByPath(f.Path()); err == nil {
			return
		}
		_ = files.RegisterFile(f) // they were linked: no two have the same names
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
	}
	add(f)
	return dynamicpb.NewTypes(files)
}

// compile checks a document against the schema and makes a message of it.
func (m *messages) compile(d document, o Options) (requestMessage, error) {
	values := template.NewValues(o.Seed, 0)
	values.Row = o.Feed.Row(0)
	filled := d.fill(values)
	wire, err := encodeJSON(m.input, m.types, filled.text)
	if err != nil {
		return requestMessage{}, filled.explain(err)
	}
	p := &planner{d.marked.source, m.types}
	v, err := tree(d.text())
	if err != nil {
		return requestMessage{}, err
	}
	if !p.marked(v) {
		return requestMessage{wire: append([]byte{}, wire...)}, nil
	}
	plan, err := p.message(m.input, v, "")
	if errors.Is(err, errNoPlan) {
		return requestMessage{json: &d}, nil
	}
	return requestMessage{plan: plan}, err
}

// protojson writes a no-break space in some builds, so that nobody relies on its texts.
var (
	protojsonName  = lazyregexp.New(`^proto:[\s\x{a0}]*`)
	protojsonPlace = lazyregexp.New(`^proto:[\s\x{a0}]*(?:syntax error )?\(line (\d+):(\d+)\):[\s\x{a0}]*`)
)

// explain gives an error of protojson its place in the source, and in the message.
func (r *rendering) explain(err error) error {
	place := protojsonPlace.FindStringSubmatch(err.Error())
	if place == nil {
		text := protojsonName.ReplaceAllString(err.Error(), "")
		return r.source.errorf(r.back(len(r.text)), "%s", text)
	}
	line, _ := strconv.Atoi(place[1])
	column, _ := strconv.Atoi(place[2])
	at := 0
	for ; line > 1; line-- {
		at += bytes.IndexByte(r.text[at:], '\n') + 1
	}
	for ; column > 1 && at < len(r.text); column-- {
		_, n := utf8.DecodeRune(r.text[at:])
		at += n
	}
	text := err.Error()[len(place[0]):]
	if path := template.PathAt(r.text, at); path != "" {
		text += ", at " + path
	}
	return r.source.errorf(r.back(at), "%s", text)
}

// append appends the messages of a request, with what is before each of them.
func (m *messages) append(dst []byte, v *requestValues) ([]byte, error) {
	for _, one := range m.all {
		start := len(dst)
		dst = append(dst, 0, 0, 0, 0, 0)
		var err error
		switch {
		case one.json != nil:
			var b []byte
			f := one.json.fill(&v.Values)
			if b, err = encodeJSON(m.input, m.types, f.text); err != nil {
				err = &load.Failure{Class: "template", Text: f.explain(err).Error()}
			}
			dst = append(dst, b...)
		case one.plan != nil:
			dst, err = one.plan.append(dst, &v.Values, &v.text)
		default:
			dst = append(dst, one.wire...)
		}
		if err != nil {
			return dst, err
		}
		if m.gzip {
			dst = compress(dst, start)
		}
		if size := len(dst) - start - 5; size > math.MaxUint32 {
			return dst, fmt.Errorf("the message has %d bytes; the limit is %d", size, uint32(math.MaxUint32))
		} else {
			binary.BigEndian.PutUint32(dst[start+1:], uint32(size))
		}
	}
	return dst, nil
}

var compressors = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// compress compresses the message whose five bytes begin at start.
func compress(dst []byte, start int) []byte {
	plain := bytes.Clone(dst[start+5:])
	out := bytes.NewBuffer(dst[:start+5])
	w := compressors.Get().(*gzip.Writer)
	w.Reset(out)
	_, _ = w.Write(plain) // a Buffer takes all
	_ = w.Close()
	compressors.Put(w)
	dst = out.Bytes()
	dst[start] = 1
	return dst
}
