package compress

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
)

// pack makes it smaller.
func pack(text []byte) ([]byte, error) {
	var b bytes.Buffer
	// want B: allocates a compressor with about 800 kB of tables per call
	zw := gzip.NewWriter(&b)
	if _, err := zw.Write(text); err != nil { // hot: compress/gzip.(*Writer).Write compress/flate.NewWriter
		return nil, err
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func serve(w http.ResponseWriter, r *http.Request) {
	// want B: allocates a compressor with about 800 kB of tables per call
	zw := gzip.NewWriter(w)
	defer zw.Close()
	io.Copy(zw, r.Body) // hot: io.Copy compress/gzip.(*Writer).Write compress/flate.(*compressor).init
}

// writer keeps it.
func writer(w io.Writer) io.WriteCloser {
	// want C: allocates a compressor with about 800 kB of tables per call
	zw := gzip.NewWriter(w) // hot: compress/gzip.NewWriter
	return zw
}

func each(parts [][]byte, out io.Writer) {
	for _, p := range parts {
		// want C: allocates a compressor with about 800 kB of tables per call
		zw := gzip.NewWriter(out)
		zw.Write(p) // hot: compress/gzip.(*Writer).Write compress/flate.NewWriter
		zw.Close()
	}
	// want C: allocates a compressor with up to 1 MB of tables per call
	fw, _ := flate.NewWriter(out, 9) // hot: compress/flate.NewWriter
	fw.Close()
}

func report(f *os.File, names []string) error {
	// want B: buffer of 4 kB
	w := bufio.NewWriter(f) // hot: bufio.NewWriter bufio.NewWriterSize
	for _, n := range names {
		fmt.Fprintln(w, n)
	}
	return w.Flush()
}

var out *os.File

func shadowed(text string) error {
	// want C: buffer of 4 kB
	out := bufio.NewWriter(out) // hot: bufio.NewWriter bufio.NewWriterSize
	fmt.Fprintln(out, text)
	return out.Flush()
}

// maybe is given a bufio.Writer, which is used as it is.
func maybe(out io.Writer) error {
	// want C: buffer of 4 kB
	w := bufio.NewWriter(out) // hot: bufio.NewWriter bufio.NewWriterSize
	w.WriteByte(1)
	return w.Flush()
}

func line(f *os.File) ([]byte, error) {
	// want C: buffer of 4 kB
	r := bufio.NewReader(f) // hot: bufio.NewReader bufio.NewReaderSize
	return r.ReadSlice('\n')
}

func text(f *os.File) (string, error) {
	// want B: buffer of 4 kB
	r := bufio.NewReader(f) // hot: bufio.NewReader bufio.NewReaderSize
	return r.ReadString('\n')
}

func sum(text []byte) []byte {
	// want C: sha256.Sum256
	h := sha256.New() // hot: crypto/sha256.New
	h.Write(text)
	return h.Sum(nil)
}

func words(r io.Reader) (n int) {
	// want C: Pass it a reused one with Buffer
	scan := bufio.NewScanner(r)
	for scan.Scan() { // hot: bufio.(*Scanner).Scan
		n++
	}
	return n
}
