package graphviz

import (
	"cmp"
	"image"
	imagecolor "image/color"
	"slices"
)

// quantize reduces an opaque image to 256 colours. Colours that agree in 5 bits
// a channel share the most frequent of them, and the most frequent of those
// stay. Flat fills come out exact, and there is no dithering, which would put
// dots on them. Graphs have few colours, so what is left over are shades of text
// edges, close to one that was kept.
func quantize(img *image.RGBA) *image.Paletted {
	type shade struct {
		color uint32 // 0x00rrggbb
		n     int
	}
	count := make(map[uint32]int)
	// Neighbours are mostly equal: count runs.
	last, run := uint32(0), 0
	for i := 0; i < len(img.Pix); i += 4 {
		c := pixel(img.Pix[i:])
		if c != last {
			count[last] += run
			last, run = c, 0
		}
		run++
	}
	count[last] += run

	shades := make([]shade, 0, len(count))
	total := make(map[uint32]int) // pixels by coarse colour
	for c, n := range count {
		shades = append(shades, shade{c, n})
		total[coarse(c)] += n
	}
	slices.SortFunc(shades, func(a, b shade) int {
		return cmp.Or(cmp.Compare(total[coarse(b.color)], total[coarse(a.color)]),
			cmp.Compare(b.n, a.n), cmp.Compare(a.color, b.color))
	})
	var palette imagecolor.Palette
	index := make([]uint8, 1<<15) // by coarse colour
	done := make(map[uint32]bool)
	for _, s := range shades {
		key := coarse(s.color)
		if done[key] {
			continue
		}
		done[key] = true
		c := imagecolor.RGBA{uint8(s.color >> 16), uint8(s.color >> 8), uint8(s.color), 255}
		if len(palette) < 256 {
			index[key] = uint8(len(palette))
			palette = append(palette, c)
		} else {
			index[key] = uint8(palette.Index(c))
		}
	}
	out := image.NewPaletted(img.Bounds(), palette)
	for i := range out.Pix {
		out.Pix[i] = index[coarse(pixel(img.Pix[4*i:]))]
	}
	return out
}

func pixel(p []uint8) uint32 { return uint32(p[0])<<16 | uint32(p[1])<<8 | uint32(p[2]) }

// coarse keeps 5 bits a channel.
func coarse(c uint32) uint32 { return c>>19<<10 | c>>11&31<<5 | c>>3&31 }
