package calls

import (
	"encoding/base64"
	"encoding/hex"
	"hash/crc32"
	"hash/crc64"
)

func codes(text string, b []byte) (string, []byte) {
	// want C: encode into an array
	text += hex.EncodeToString(b) // hot: encoding/hex.EncodeToString
	// want C: use Decode with an array of known size
	raw, _ := hex.DecodeString(text) // hot: encoding/hex.DecodeString
	// want C: use Decode with an array of known size
	more, _ := base64.StdEncoding.DecodeString(text) // hot: encoding/base64.(*Encoding).DecodeString
	return text, append(raw, more...)
}

func sums(b []byte) (uint32, uint64) {
	// want C: keep it in a package variable
	small := crc32.MakeTable(crc32.Koopman) // hot: hash/crc32.MakeTable
	// want C: keep it in a package variable
	large := crc64.MakeTable(crc64.ISO) // hot: hash/crc64.MakeTable
	return crc32.Checksum(b, small), crc64.Checksum(b, large)
}
