package handler

import (
	"crypto/tls"
	"database/sql"
	"net/http"
)

func handle(w http.ResponseWriter, r *http.Request) {
	// want C: creates a client without connections each time this runs
	db, err := sql.Open("postgres", "") // hot: database/sql.Open
	if err != nil {
		return
	}
	defer db.Close()
	c := http.Client{
		// want C: is created per call A new http.Transport has no connections
		Transport: &http.Transport{TLSClientConfig: &tls.Config{}}, // alloc
	}
	resp, err := c.Get("http://localhost/") // hot: net/http.(*Client).Get
	if err == nil {
		resp.Body.Close()
	}
	// want C: creates a client without connections each time this runs
	t := http.DefaultTransport.(*http.Transport).Clone() // hot: net/http.(*Transport).Clone
	t.CloseIdleConnections()
}
