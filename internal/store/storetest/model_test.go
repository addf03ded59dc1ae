package storetest

import (
	"testing"

	"github.com/hone-go/hone/internal/store"
)

func TestModel(t *testing.T) {
	Run(t, func(*testing.T) store.Store { return NewModel() })
}
