//go:build go1.23

package agent

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
)

// TestHandlerInsideMux: a handler that a mux calls has the mux's pattern.
func TestHandlerInsideMux(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("GET /inside/{id}", CountRequests(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})))
	before := endpoints.counts()
	mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/inside/7", nil))
	if got, want := since(before), map[string]int64{"GET /inside/{id}": 1}; !reflect.DeepEqual(got, want) {
		t.Errorf("counts %v, want %v", got, want)
	}
}
