package handler

import (
	"crypto/tls"
	"database/sql"
	"net/http"
)

func handle(w http.ResponseWriter, r *http.Request) {
	// want C: sql.Open makes something
	db, err := sql.Open("postgres", "") // hot: database/sql.Open
	if err != nil {
		return
	}
	defer db.Close()
	c := http.Client{
		// want C: an http.Transport keeps the connections
		Transport: &http.Transport{TLSClientConfig: &tls.Config{}}, // alloc
	}
	resp, err := c.Get("http://localhost/") // hot: net/http.(*Client).Get
	if err == nil {
		resp.Body.Close()
	}
	// want C: (*http.Transport).Clone makes something
	t := http.DefaultTransport.(*http.Transport).Clone() // hot: net/http.(*Transport).Clone
	t.CloseIdleConnections()
}
