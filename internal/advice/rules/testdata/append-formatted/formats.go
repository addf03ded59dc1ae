package formats

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"math/big"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"
)

func numbers(ns []int) []byte {
	var b []byte
	for _, n := range ns {
		// want A: copied to b
		b = append(b, strconv.Itoa(n)...) // hot: strconv.Itoa strconv.FormatInt
		// want A: AppendInt
		b = append(b, strconv.FormatInt(int64(n), 16)...) // hot: strconv.FormatInt
		b = append(b, ',')
	}
	return b
}

func given(b []byte, id uint32, at time.Time, name string) []byte {
	// want A: strconv.AppendUint
	b = append(b, strconv.FormatUint(uint64(id), 10)...) // hot: strconv.FormatUint
	// want B: spare capacity of b
	b = append(b, at.Format(time.RFC3339)...) // hot: time.Time.Format
	// want B: spare capacity of b
	return append(b, strconv.Quote(name)...) // hot: strconv.Quote
}

func built(ns []int, at time.Time) string {
	var sb strings.Builder
	for _, n := range ns {
		// want A: copied into sb
		sb.WriteString(strconv.Itoa(n)) // hot: strconv.Itoa
		// want A: only to be written
		sb.Write([]byte(strconv.FormatFloat(float64(n), 'g', -1, 64))) // hot: strconv.FormatFloat
		sb.WriteByte(' ')
	}
	// want A: AppendFormat
	sb.WriteString(at.Format("2006-01-02")) // hot: time.Time.Format
	return sb.String()
}

func buffered(buf *bytes.Buffer, w *bufio.Writer, n int64, name string, a netip.Addr) {
	// want A: strconv.AppendInt
	buf.WriteString(strconv.FormatInt(n, 2)) // hot: strconv.FormatInt
	// want B: is valid
	buf.WriteString(a.String()) // hot: net/netip.Addr.String
	// want B: the destination of w
	w.WriteString(strconv.Quote(name)) // hot: strconv.Quote
}

func toFile(f *os.File, ns []int) error {
	w := bufio.NewWriter(f)
	for _, n := range ns {
		// want A: copied into w
		if _, err := w.WriteString(strconv.Itoa(n)); err != nil { // hot: strconv.Itoa
			return err
		}
	}
	return w.Flush()
}

func converted(n int, sum []byte) ([]byte, []byte) {
	// want A: only to be converted
	key := []byte(strconv.Itoa(n)) // hot: strconv.Itoa
	// want B: nil from an empty slice
	return key, []byte(hex.EncodeToString(sum)) // hot: encoding/hex.EncodeToString
}

func large(b []byte, x *big.Int, sum []byte) []byte {
	b = append(b[:0:0], "0x"...)
	// want A: Append appends directly
	b = append(b, x.Text(16)...) // hot: math/big.(*Int).Text
	// want B: doesn't share memory
	return append(b, hex.EncodeToString(sum)...) // hot: encoding/hex.EncodeToString
}

type event struct {
	b  []byte
	n  int
	at func() int
}

func (e *event) append() {
	// want B: doesn't set e.b
	e.b = append(e.b, strconv.Itoa(e.at())...) // hot: strconv.Itoa
	// want B: spare capacity of e.b
	e.b = append(e.b, strconv.Itoa(e.n)...) // hot: strconv.Itoa
	// want A: copied to e.b
	e.b = append(e.b, strconv.Itoa(len(e.b))...) // hot: strconv.Itoa
}
