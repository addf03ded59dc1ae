// Withagent serves the pages of hone's agent over TLS to who shows a certificate, and
// has the agent run. It prints its address, and ends with its standard input.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/hone-go/hone/agent"
)

func main() {
	clients := flag.String("clients", "", "`file` with the certificate of the client")
	ca := flag.String("ca", "", "`file` that the server's certificate is written to")
	flag.Parse()
	if err := run(*clients, *ca); err != nil {
		log.Fatal(err)
	}
}

func run(clients, ca string) error {
	data, err := os.ReadFile(clients)
	if err != nil {
		return err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(data)
	mux := http.NewServeMux()
	agent.Mount(mux)
	srv := httptest.NewUnstartedServer(mux)
	srv.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
	srv.StartTLS()
	defer srv.Close()
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	if err := os.WriteFile(ca, cert, 0o666); err != nil {
		return err
	}
	if _, err := agent.Start(agent.Config{Server: "http://127.0.0.1:1", Service: "wall"}); err != nil {
		return err
	}
	fmt.Println(srv.URL)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
