package hexadecimal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
)

type digest [4]byte

type named byte

type key struct{ sum [16]byte }

func (k *key) text() string {
	// want A: hex.AppendEncode(make([]byte, 0, 32), k.sum[:])
	return fmt.Sprintf("%x", k.sum) // hot: fmt.Sprintf
}

func sums(data []byte, text string, d digest, b byte, n named, v uint32, w int) []string {
	sum := sha256.Sum256(data)
	// want A: hex.AppendEncode(make([]byte, 0, 64), sum[:])
	one := fmt.Sprintf("%x", sum) // hot: fmt.Sprintf
	// want A: If it is built in a buffer on the stack
	two := fmt.Sprintf("sha256-%x", d) // hot: fmt.Sprintf
	// want A: hex.EncodeToString(data)
	three := fmt.Sprintf("%x", data) // hot: fmt.Sprintf
	// want A: hex.EncodeToString([]byte(text))
	four := fmt.Sprintf("%x:%s", text, two) // hot: fmt.Sprintf
	// want A: hex.EncodeToString([]byte{b})
	five := fmt.Sprintf("%02x", b) // hot: fmt.Sprintf
	// want A: hex.EncodeToString([]byte{uint8(n)})
	six := fmt.Sprintf("%02x", n) // hot: fmt.Sprintf
	// want A: "0x" + strconv.FormatUint(uint64(v), 16)
	seven := fmt.Sprintf("%#x", v)                                                                           // hot: fmt.Sprintf
	eight := fmt.Sprintf("%#x%02x%X%x% x", w, w, data, sha256.Sum256(data), data) + fmt.Sprintf("%#x", text) // hot: fmt.Sprintf
	return []string{one, two, three, four, five, six, seven, eight}
}

func letters(r rune, b byte, n int, w uint32) (string, string) {
	// want A: string(r) + "=" + string(rune(b)) + string(rune(w))
	s := fmt.Sprintf("%c=%c%c", r, b, w)                    // hot: fmt.Sprintf
	return s, fmt.Sprintf("%c", n) + fmt.Sprintf("%c", 'a') // hot: fmt.Sprintf
}

func writes(sb *strings.Builder, buf *bytes.Buffer, w *bufio.Writer, sum [16]byte, data []byte, r rune) {
	for range 10 {
		// want A: write the pieces to sb separately
		fmt.Fprintf(sb, "%c %x\n", r, sum) // hot: fmt.Fprintf
		fmt.Fprintf(sb, "%x", data)        // hot: fmt.Fprintf
		// want B: that data doesn't share memory with buf
		fmt.Fprintf(buf, "%x", data) // hot: fmt.Fprintf
		// want B: fmt.Fprintf formats a single text
		fmt.Fprintf(w, "%x", data) // hot: fmt.Fprintf
	}
}

var pattern = "%d/%s"

var changed = "%d/%s"

func set(s string) { changed = s }

func variable(n int, s string) (string, string) {
	// want A: strconv.Itoa(n) + "/" + s
	a := fmt.Sprintf(pattern, n, s)      // hot: fmt.Sprintf
	return a, fmt.Sprintf(changed, n, s) // hot: fmt.Sprintf
}
