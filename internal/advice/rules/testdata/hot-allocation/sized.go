package sized

import "io"

func encode(w io.ByteWriter, digits []byte, alphabet string) error {
	// want C: but its size is only known at run time
	text := make([]byte, len(digits)*138/100+1) // alloc
	for i, d := range digits {
		text[i] = alphabet[d]
	}
	for _, c := range text {
		if err := w.WriteByte(c); err != nil {
			return err
		}
	}
	return nil
}
