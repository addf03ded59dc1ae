//go:build go1.23

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"io"
	"math/big"
	randv1 "math/rand"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"testing/iotest"
	"time"
)

// special makes values of types of the standard library.
func special(r *rand.Rand, t reflect.Type) (reflect.Value, bool) {
	var v any
	switch t {
	case reflect.TypeFor[time.Time]():
		v = moment(r)
	case reflect.TypeFor[time.Duration]():
		d := time.Duration(r.Int64N(1 << r.IntN(40)))
		switch r.IntN(6) {
		case 0:
			d = -d
		case 1:
			d = [...]time.Duration{0, 1, -1, time.Second, time.Minute, time.Hour, 24 * time.Hour, 1<<63 - 1, -1 << 63}[r.IntN(9)]
		}
		v = d
	case reflect.TypeFor[*time.Location]():
		v = zone(r)
	case reflect.TypeFor[*big.Int]():
		v = bigInt(r)
	case reflect.TypeFor[*big.Rat]():
		v = big.NewRat(int64(r.IntN(2000)-1000), int64(1+r.IntN(100)))
	case reflect.TypeFor[*big.Float]():
		v = big.NewFloat(float64(r.IntN(2000)-1000) / 16)
	case reflect.TypeFor[*randv1.Rand]():
		v = randv1.New(randv1.NewSource(r.Int64()))
	case reflect.TypeFor[*rand.Rand]():
		v = rand.New(rand.NewPCG(r.Uint64(), 1))
	case reflect.TypeFor[*regexp.Regexp]():
		v = regexp.MustCompile([...]string{`a+`, `[0-9]+`, `\w*`, `^.`, `(a)(b)?`}[r.IntN(5)])
	case reflect.TypeFor[*url.URL]():
		u, err := url.Parse([...]string{"http://a.example/b?c=d#e", "https://u:p@h.example:8080/x%20y/../z", "/only/path", "mailto:a@b.example", "http://[::1]/"}[r.IntN(5)])
		if err != nil {
			return reflect.Value{}, false
		}
		v = u
	case reflect.TypeFor[netip.Addr]():
		v = netip.AddrFrom4([4]byte{byte(r.IntN(256)), byte(r.IntN(3)), 0, byte(r.IntN(256))})
	case reflect.TypeFor[*bytes.Buffer]():
		v = bytes.NewBufferString(text(r))
	case reflect.TypeFor[*bytes.Reader]():
		v = bytes.NewReader([]byte(text(r)))
	case reflect.TypeFor[*strings.Reader]():
		v = strings.NewReader(text(r))
	case reflect.TypeFor[*bufio.Reader]():
		v = bufio.NewReader(reader(r))
	case reflect.TypeFor[*image.RGBA](), reflect.TypeFor[*image.NRGBA](), reflect.TypeFor[*image.Gray](), reflect.TypeFor[*image.Alpha](), reflect.TypeFor[*image.RGBA64]():
		return picture(r, t), true
	default:
		return reflect.Value{}, false
	}
	return reflect.ValueOf(v), true
}

func moment(r *rand.Rand) time.Time {
	t := time.Unix(r.Int64N(4e9), r.Int64N(1e9)).UTC()
	switch r.IntN(8) {
	case 0:
		return time.Time{}
	case 1:
		t = time.Unix(-r.Int64N(1e10), 0).UTC()
	case 2:
		t = time.Date(r.IntN(12000), time.Month(1+r.IntN(12)), 1+r.IntN(31), 23, 59, 59, 999999999, time.UTC)
	case 3:
		t = t.Truncate(time.Duration([...]int64{1e9, 6e10, 36e11, 864e11}[r.IntN(4)]))
	}
	if r.IntN(3) == 0 {
		t = t.In(zone(r))
	}
	return t
}

func zone(r *rand.Rand) *time.Location {
	return [...]*time.Location{time.UTC, time.FixedZone("EAST", 19800), time.FixedZone("", -34200), time.FixedZone("ODD", 3601)}[r.IntN(4)]
}

func bigInt(r *rand.Rand) *big.Int {
	switch r.IntN(4) {
	case 0:
		return big.NewInt(int64(r.IntN(40) - 20))
	case 1:
		n := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(r.IntN(40))), nil)
		return n.Sub(n, big.NewInt(int64(r.IntN(2))))
	}
	return new(big.Int).Lsh(big.NewInt(r.Int64()-r.Int64()), uint(r.IntN(100)))
}

// usualValues are of types that have methods of common interfaces.
func usualValues(r *rand.Rand) []any {
	numbers, words := make(sort.IntSlice, r.IntN(20)), make(sort.StringSlice, r.IntN(20))
	for i := range numbers {
		numbers[i] = r.IntN(30)
	}
	for i := range words {
		words[i] = letters(r)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	all := []any{
		bytes.NewBufferString(text(r)), strings.NewReader(text(r)), bytes.NewReader([]byte(text(r))), &output{left: 1 << 40}, &output{left: r.IntN(40)}, reader(r),
		numbers, words, errors.New("an error"), time.Duration(r.IntN(1e9)), picture(r, reflect.TypeFor[*image.RGBA]()).Interface(), picture(r, reflect.TypeFor[*image.NRGBA]()).Interface(),
		picture(r, reflect.TypeFor[*image.Gray]()).Interface(), color.NRGBA{byte(r.IntN(256)), byte(r.IntN(256)), 7, byte(r.IntN(256))}, color.Gray{byte(r.IntN(256))}, randv1.NewSource(r.Int64()),
	}
	if r.IntN(4) == 0 {
		return append(all, canceled)
	}
	return append(all, context.Background())
}

// reader reads a text: at once, in pieces, with the end together with the last bytes, or with an error.
func reader(r *rand.Rand) io.Reader {
	s := text(r)
	if r.IntN(6) == 0 {
		s = long(r)
	}
	all := strings.NewReader(s)
	switch r.IntN(8) {
	case 0:
		return iotest.OneByteReader(all)
	case 1:
		return iotest.HalfReader(all)
	case 2:
		return iotest.DataErrReader(all)
	case 3:
		return io.MultiReader(all, iotest.ErrReader(errInput))
	case 4:
		return io.MultiReader(all, strings.NewReader(text(r)))
	}
	return all
}

// An output keeps what is written to it, as far as there is room.
type output struct {
	Written []byte
	left    int
}

func (o *output) Write(p []byte) (int, error) {
	n := min(len(p), o.left)
	o.Written = append(o.Written, p[:n]...)
	if o.left -= n; n < len(p) {
		return n, errOutput
	}
	return n, nil
}

// picture is a small image. Not all begin at 0, 0.
func picture(r *rand.Rand, t reflect.Type) reflect.Value {
	at := image.Pt(0, 0)
	if r.IntN(3) == 0 {
		at = image.Pt(r.IntN(20)-10, r.IntN(20)-10)
	}
	area := image.Rectangle{at, at.Add(image.Pt([...]int{0, 1, 2, 7, 16, 33}[r.IntN(6)], [...]int{1, 3, 8, 20}[r.IntN(4)]))}
	var v any
	var pixels []byte
	switch t {
	case reflect.TypeFor[*image.RGBA]():
		m := image.NewRGBA(area)
		v, pixels = m, m.Pix
	case reflect.TypeFor[*image.NRGBA]():
		m := image.NewNRGBA(area)
		v, pixels = m, m.Pix
	case reflect.TypeFor[*image.Alpha]():
		m := image.NewAlpha(area)
		v, pixels = m, m.Pix
	case reflect.TypeFor[*image.RGBA64]():
		m := image.NewRGBA64(area)
		v, pixels = m, m.Pix
	default:
		m := image.NewGray(area)
		v, pixels = m, m.Pix
	}
	for i := range pixels {
		pixels[i] = byte(r.Uint32())
	}
	return reflect.ValueOf(v)
}
