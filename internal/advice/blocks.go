package advice

import (
	"context"
	"go/types"
	"go/version"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/infile"
)

// The allocator rounds sizes up. Since Go 1.22, blocks of more than 64 words with pointers begin with a
// word that describes them. Blocks above the largest class are whole pages. Pointer-free blocks below 16
// bytes share one.
const (
	wordsWithoutHeader = 64
	pageSize           = 8 << 10
	tinySize           = 16
)

// BlockSize returns how many bytes the allocator takes for a value of a size; false if that isn't known.
func (p *Package) BlockSize(size int64, pointers bool) (block int64, ok bool) {
	classes := p.sizeClasses()
	if len(classes) == 0 || size <= 0 || !pointers && size < tinySize {
		return 0, false
	}
	size += p.headerSize(size, pointers)
	for _, class := range classes {
		if class >= size {
			return class, true
		}
	}
	return (size + pageSize - 1) / pageSize * pageSize, true
}

// LargestBelow returns the largest size whose block is smaller than that of another size; false if none is.
func (p *Package) LargestBelow(size int64, pointers bool) (below int64, ok bool) {
	block, ok := p.BlockSize(size, pointers)
	if !ok {
		return 0, false
	}
	below = max(0, block-pageSize)
	for _, class := range p.sizeClasses() {
		if class < block {
			below = max(below, class)
		}
	}
	below -= p.headerSize(below, pointers)
	return below, below > 0
}

func (p *Package) headerSize(size int64, pointers bool) int64 {
	word := p.wordSize()
	if pointers && size > wordsWithoutHeader*word && (p.Toolchain == "" || version.Compare(p.Toolchain, "go1.22") >= 0) {
		return word
	}
	return 0
}

func (p *Package) wordSize() int64 {
	if p.Sizes == nil {
		return 8
	}
	return p.Sizes.Sizeof(types.Typ[types.UnsafePointer])
}

// sizeClasses are the sizes of the allocator's small blocks, ascending; none if the toolchain's source isn't there.
func (p *Package) sizeClasses() []int64 {
	type classes struct{}
	return code.Memo(p.Package, classes{}, func() []int64 {
		for _, name := range []string{"src/internal/runtime/gc/sizeclasses.go", "src/runtime/sizeclasses.go"} {
			text, err := infile.ReadFile(context.Background(), filepath.Join(p.GOROOT, filepath.FromSlash(name)), infile.MaxSource)
			if err == nil {
				return readSizeClasses(string(text))
			}
		}
		return nil
	})
}

// readSizeClasses reads the table from the runtime's source:
//
//	var SizeClassToSize = [NumSizeClasses]uint16{0, 8, 16, 24, 32, 48, …, 32768}
func readSizeClasses(text string) (classes []int64) {
	for _, name := range []string{"SizeClassToSize", "class_to_size"} {
		_, table, ok := strings.Cut(text, "var "+name+" ")
		if !ok {
			continue
		}
		_, table, _ = strings.Cut(table, "{")
		table, _, _ = strings.Cut(table, "}")
		for field := range strings.SplitSeq(table, ",") {
			if n, err := strconv.ParseInt(strings.TrimSpace(field), 10, 64); err == nil && n > 0 {
				classes = append(classes, n)
			}
		}
	}
	return classes
}
