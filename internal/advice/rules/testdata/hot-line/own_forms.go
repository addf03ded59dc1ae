package hotline

func upper(a, b uint64) uint64 {
	x0, x1 := a&0xffffffff, a>>32
	y0, y1 := b&0xffffffff, b>>32
	// want look: The products of 32-bit halves make up a product of 128 bits: bits.Mul64 is one instruction.
	t := x1*y0 + (x0*y0)>>32 // hot
	w := t&0xffffffff + x0*y1
	return x1*y1 + t>>32 + w>>32
}
