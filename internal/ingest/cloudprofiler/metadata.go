package cloudprofiler

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/hone-go/hone/internal/infile"
)

// accountFile is the service account in ProxyConfig.Dir.
const accountFile = "service-account.json"

// An account is the file of a service account, as Google's libraries read it.
type account struct {
	Type           string `json:"type"`
	ProjectID      string `json:"project_id"`
	PrivateKeyID   string `json:"private_key_id"`
	PrivateKey     string `json:"private_key"`
	ClientEmail    string `json:"client_email"`
	ClientID       string `json:"client_id"`
	TokenURI       string `json:"token_uri"`
	UniverseDomain string `json:"universe_domain"`
}

// maxAccount bounds a file of an account, in bytes.
const maxAccount = 1 << 20

// writeAccount writes a service account whose tokens come from the proxy. The
// key of an account that is there already is kept: a key takes long to make.
// It is for nothing but that libraries want to sign with one.
func writeAccount(file string, cfg ProxyConfig) error {
	var a account
	data, err := infile.ReadText(context.Background(), file, maxAccount)
	if err == nil {
		err = json.Unmarshal(data, &a)
	}
	if errors.Is(err, fs.ErrNotExist) {
		a.PrivateKey, err = newAccountKey()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	b := account{
		Type: "service_account", ProjectID: cfg.Project, PrivateKeyID: "hone", PrivateKey: a.PrivateKey,
		ClientEmail: serviceAccount(cfg.Project), ClientID: "0", TokenURI: "http://" + cfg.Addr + "/token", UniverseDomain: "googleapis.com",
	}
	if a == b {
		return nil
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return writeNew(file, append(text, '\n'), 0o600)
}

func newAccountKey() (string, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return "", err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", err
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), nil
}

func serviceAccount(project string) string { return "hone@" + project + ".iam.gserviceaccount.com" }

// newMetadata serves what agents ask a machine of Google's about itself, and
// tokens. The tokens mean nothing; see Proxy.
func newMetadata(cfg ProxyConfig) http.Handler {
	mux := http.NewServeMux()
	token := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "hone-has-no-use-for-this", "token_type": "Bearer", "expires_in": 3600})
	}
	mux.HandleFunc("POST /token", token)
	answer := func(path string, h http.HandlerFunc) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			// As Google's: a page in a browser can't set the header.
			if r.Header.Get("Metadata-Flavor") != "Google" {
				http.Error(w, "the header Metadata-Flavor: Google is missing", http.StatusForbidden)
				return
			}
			w.Header().Set("Metadata-Flavor", "Google")
			h(w, r)
		})
	}
	text := func(path, value string) {
		answer("/computeMetadata/v1/"+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/text")
			_, _ = w.Write([]byte(value))
		})
	}
	answer("/{$}", func(http.ResponseWriter, *http.Request) {})
	text("project/project-id", cfg.Project)
	text("project/numeric-project-id", "0")
	text("instance/name", cfg.Instance)
	text("instance/hostname", cfg.Instance)
	text("instance/id", "0")
	text("instance/zone", "projects/0/zones/"+cfg.Zone)
	text("universe/universe-domain", "googleapis.com")
	for _, name := range []string{"default", serviceAccount(cfg.Project)} {
		text("instance/service-accounts/"+name+"/email", serviceAccount(cfg.Project))
		answer("/computeMetadata/v1/instance/service-accounts/"+name+"/token", token)
	}
	return mux
}
