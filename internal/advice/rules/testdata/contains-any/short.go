package short

import "bytes"

type value []byte

func valid(b []byte) bool {
	// want B: the texts are short
	return !bytes.ContainsAny(b, "\";\\") // hot: bytes.ContainsAny bytes.IndexAny internal/bytealg.IndexByteString
}

func named(v value) bool {
	// want B: the texts are short
	return bytes.ContainsAny(v, "%;") && len(v) > 1 // hot: bytes.ContainsAny bytes.IndexAny indexbytebody
}

func taken(b []byte) bool {
	slices := len(b)
	// want B: IndexByte
	return slices > 0 && bytes.ContainsAny(b, "<>") // hot: bytes.ContainsAny bytes.IndexAny indexbytebody
}
