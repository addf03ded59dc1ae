// Command codec is a media and archive worker: compression, images, gob,
// archives, hashes, public key work and base conversions.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"compress/lzw"
	"compress/zlib"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/gob"
	"encoding/hex"
	"encoding/pem"
	"hash/adler32"
	"hash/crc32"
	"hash/crc64"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"math/big"
	"math/cmplx"
	"math/rand"
	"sync"
	"time"

	"github.com/hone-go/hone/bench/peers/workloads/kit"
)

var _ = bzip2.NewReader

type job struct {
	seed int64
	data []byte
}

func blob(rng *rand.Rand, n int) []byte {
	words := []string{"profile", "sample", "location", "function", "mapping", "the", "of", "label", "value", "0123456789"}
	var b bytes.Buffer
	for b.Len() < n {
		if rng.Intn(8) == 0 {
			var x [16]byte
			rng.Read(x[:])
			b.Write(x[:])
		}
		b.WriteString(words[rng.Intn(len(words))])
		b.WriteByte(' ')
	}
	return b.Bytes()
}

func roundtrip(j job, mk func(io.Writer) io.WriteCloser, rd func(io.Reader) io.Reader) {
	var b bytes.Buffer
	w := mk(&b)
	w.Write(j.data)
	w.Close()
	if r := rd(&b); r != nil {
		io.Copy(io.Discard, r)
	}
}

func doGzip(j job) {
	roundtrip(j, func(w io.Writer) io.WriteCloser { g, _ := gzip.NewWriterLevel(w, 1+int(j.seed%9)); return g },
		func(r io.Reader) io.Reader { g, _ := gzip.NewReader(r); return g })
}
func doZlib(j job) {
	roundtrip(j, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, func(r io.Reader) io.Reader { z, _ := zlib.NewReader(r); return z })
}
func doFlate(j job) {
	roundtrip(j, func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, flate.HuffmanOnly); return f }, func(r io.Reader) io.Reader { return flate.NewReader(r) })
}
func doLZW(j job) {
	roundtrip(j, func(w io.Writer) io.WriteCloser { return lzw.NewWriter(w, lzw.LSB, 8) }, func(r io.Reader) io.Reader { return lzw.NewReader(r, lzw.LSB, 8) })
}

func picture(rng *rand.Rand) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, 160, 120))
	cx, cy := rng.Float64()*160, rng.Float64()*120
	for y := 0; y < 120; y++ {
		for x := 0; x < 160; x++ {
			d := cmplx.Abs(complex(float64(x)-cx, float64(y)-cy))
			v := uint8(127 + 120*math.Sin(d/7))
			m.SetRGBA(x, y, color.RGBA{v, uint8(x), uint8(y), 255})
		}
	}
	return m
}

func doImages(j job) {
	m := picture(rand.New(rand.NewSource(j.seed)))
	var b bytes.Buffer
	png.Encode(&b, m)
	im, err := png.Decode(&b)
	if err != nil {
		return
	}
	b.Reset()
	jpeg.Encode(&b, im, &jpeg.Options{Quality: 80})
	im, _ = jpeg.Decode(&b)
	g := image.NewPaletted(im.Bounds(), palette.Plan9)
	draw.FloydSteinberg.Draw(g, g.Bounds(), im, image.Point{})
	b.Reset()
	gif.Encode(&b, g, nil)
	gif.Decode(&b)
}

type node struct {
	Name string
	Val  []float64
	Kids []*node
	Attr map[string]int64
	At   time.Time
}

func tree(rng *rand.Rand, d int) *node {
	n := &node{Name: "n", Val: make([]float64, 4), Attr: map[string]int64{"a": rng.Int63(), "b": 2}, At: time.Unix(rng.Int63n(1e9), 0)}
	if d > 0 {
		for i := 0; i < 3; i++ {
			n.Kids = append(n.Kids, tree(rng, d-1))
		}
	}
	return n
}

func doGob(j job) {
	t := tree(rand.New(rand.NewSource(j.seed)), 5)
	var b bytes.Buffer
	gob.NewEncoder(&b).Encode(t)
	var u node
	gob.NewDecoder(&b).Decode(&u)
	keep(&u)
}

func doArchive(j job) {
	var b bytes.Buffer
	tw := tar.NewWriter(&b)
	for i := 0; i < 8; i++ {
		part := j.data[i*len(j.data)/8 : (i+1)*len(j.data)/8]
		tw.WriteHeader(&tar.Header{Name: "f", Mode: 0o644, Size: int64(len(part)), ModTime: time.Unix(1, 0)})
		tw.Write(part)
	}
	tw.Close()
	tr := tar.NewReader(&b)
	var z bytes.Buffer
	zw := zip.NewWriter(&z)
	for {
		h, err := tr.Next()
		if err != nil {
			break
		}
		w, _ := zw.Create(h.Name)
		io.Copy(w, tr)
	}
	zw.Close()
	zr, err := zip.NewReader(bytes.NewReader(z.Bytes()), int64(z.Len()))
	if err != nil {
		return
	}
	for _, f := range zr.File {
		if r, err := f.Open(); err == nil {
			io.Copy(io.Discard, r)
			r.Close()
		}
	}
}

func doHash(j job) {
	h := io.MultiWriter(sha256.New(), sha512.New(), sha1.New(), crc32.NewIEEE(), crc64.New(crc64.MakeTable(crc64.ECMA)), adler32.New())
	h.Write(j.data)
	_ = hex.EncodeToString(j.data[:4096])
	_, _ = base64.StdEncoding.DecodeString(base64.StdEncoding.EncodeToString(j.data))
	_ = base32.StdEncoding.EncodeToString(j.data)
	dst := make([]byte, ascii85.MaxEncodedLen(len(j.data)))
	ascii85.Encode(dst, j.data)
	var s struct {
		A uint32
		B int64
		C [8]uint16
	}
	for i := 0; i < 50; i++ {
		binary.Read(bytes.NewReader(j.data[i*40:]), binary.BigEndian, &s)
	}
}

func doCipher(j job) {
	blk, _ := aes.NewCipher(j.data[:16])
	g, _ := cipher.NewGCM(blk)
	ct := g.Seal(nil, j.data[:12], j.data, nil)
	g.Open(nil, j.data[:12], ct, nil)
	cipher.NewCTR(blk, j.data[:16]).XORKeyStream(ct, ct)
}

var rsaKey = sync.OnceValue(func() *rsa.PrivateKey { k, _ := rsa.GenerateKey(crand.Reader, 2048); return k })

func doKeys(j job) {
	k, _ := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	sum := sha256.Sum256(j.data)
	if sig, err := ecdsa.SignASN1(crand.Reader, k, sum[:]); err == nil {
		ecdsa.VerifyASN1(&k.PublicKey, sum[:], sig)
	}
	pub, priv, _ := ed25519.GenerateKey(crand.Reader)
	ed25519.Verify(pub, sum[:], ed25519.Sign(priv, sum[:]))
	tpl := &x509.Certificate{SerialNumber: big.NewInt(j.seed), Subject: pkix.Name{CommonName: "x"}, NotAfter: time.Now().Add(time.Hour)}
	if der, err := x509.CreateCertificate(crand.Reader, tpl, tpl, &k.PublicKey, k); err == nil {
		p, _ := pem.Decode(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
		if c, err := x509.ParseCertificate(p.Bytes); err == nil {
			c.CheckSignatureFrom(c)
		}
	}
	if j.seed%4 == 0 {
		rsa.SignPKCS1v15(crand.Reader, rsaKey(), 0, sum[:])
	}
}

func doBig(j job) {
	a := new(big.Int).SetBytes(j.data[:700])
	b := new(big.Int).SetBytes(j.data[700:1100])
	c := new(big.Int).Exp(b, big.NewInt(7), nil)
	c.Mod(c, a)
	_ = c.Text(10)
	new(big.Int).GCD(nil, nil, a, b)
	big.NewInt(j.seed | 1).ProbablyPrime(5)
	f, _ := new(big.Float).SetPrec(500).SetString("3.14159")
	for i := 0; i < 20; i++ {
		f.Sqrt(f.Mul(f, f))
	}
}

var (
	keptMu sync.Mutex
	kept   []*node
)

func keep(n *node) {
	keptMu.Lock()
	defer keptMu.Unlock()
	kept = append(kept, n)
	if len(kept) > 64 {
		kept = append([]*node(nil), kept[32:]...)
	}
}

func main() {
	kit.Main("codec", func(ctx context.Context, wg *sync.WaitGroup) {
		jobs := make(chan job)
		kinds := []func(job){doGzip, doZlib, doFlate, doLZW, doImages, doGob, doArchive, doHash, doCipher, doKeys, doBig}
		wg.Add(1)
		go func() {
			defer wg.Done()
			rng := rand.New(rand.NewSource(1))
			for {
				select {
				case jobs <- job{rng.Int63(), blob(rng, 20000)}:
				case <-ctx.Done():
					return
				}
			}
		}()
		for w := 0; w < 6; w++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for {
					select {
					case j := <-jobs:
						kinds[int(j.seed>>7)%len(kinds)](j)
					case <-ctx.Done():
						return
					}
				}
			}()
		}
	})
}
