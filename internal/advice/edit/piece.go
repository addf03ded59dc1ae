package edit

import (
	"go/ast"

	"github.com/hone-go/hone/internal/advice/facts"
)

// A Piece is part of the result of a fmt call: a constant text, or an argument as a string expression.
type Piece struct {
	Text string
	Code string
	Arg  ast.Expr // nil of a constant text
	// Appends, for a number or a quoted text, is the call that appends it: the code before the
	// destination, and after it.
	Appends [2]string
	Longest int  // bytes that the text of a number has at most
	Quoted  bool // a text as strconv.Quote has it
	Hex     bool // the bytes of a text, slice or array in hexadecimal
	Padded  bool // a number with zeros in front of it
	// Helper is the declaration of the function that the code calls, if the package doesn't have it.
	Helper string
	// Rune is the character of a piece that is a single one, as code of type rune.
	Rune string
	// review says what to check for the code to do what fmt does, for example that x is never nil.
	review []string
	runs   facts.Effects // of a method that is called for the text
	// Literal means that arg is a text literal.
	Literal bool
	// IsString means that fmt sees a string, next to which Sprint adds no space.
	IsString bool
	// called means that the code calls something with the argument: a method, or a function of
	// strconv.
	called bool
	// Package is the import path of the package that Code uses: strconv, encoding/hex or none.
	Package string
}

// IsNumber reports whether strconv formats the piece, which makes a new string for most numbers.
func (p Piece) IsNumber() bool { return p.Longest > 0 && !p.Hex && !p.Padded }
