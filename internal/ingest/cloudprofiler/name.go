package cloudprofiler

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/durable"
	"github.com/hone-go/hone/internal/ingest/cloudprofiler/profilerpb"
	"github.com/hone-go/hone/internal/temporary"
)

// The server asks for a profile by giving it a name, and takes the upload under
// that name. A name carries all that the server has to know about it, so that a
// server that was started again in between takes the upload too: agents send
// a profile once. The last element of
//
//	projects/PROJECT/profiles/ID
//
// is, in base64 for URLs without padding,
//
//	offset  size
//	     0     1  version, 1
//	     1     8  when the profile was asked for, ns since 1970 UTC, big endian
//	     9     8  random
//	    17    16  HMAC-SHA256, cut, of these 17 bytes and of the profile that was
//	              asked for: deployment, type and duration, which uploads repeat
const (
	nameVersion = 1
	nameHead    = 17
	nameSize    = nameHead + 16
)

// KeySize is the size in bytes of the secret that names are signed with.
const KeySize = 32

// LoadKey reads the secret that names are signed with from a file, and writes
// a new one if there is none. One that is damaged is set aside, and warn is told.
func LoadKey(file string, warn func(string)) ([]byte, error) {
	var key []byte
	_, damage, err := durable.Load(file, KeySize, func(data []byte) error {
		if len(data) != KeySize {
			return fmt.Errorf("it has %d bytes instead of %d", len(data), KeySize)
		}
		key = data
		return nil
	})
	if damage != nil {
		warn(damage.String() + "; profiles that Cloud Profiler agents were asked for before are refused; later ones are not affected")
	}
	if err == nil && key == nil {
		key = make([]byte, KeySize)
		rand.Read(key)
		err = writeNew(file, key, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("the key that signs names of profiles: %w", err)
	}
	return key, nil
}

// writeNew writes a file in one step: it is there in full or not at all.
func writeNew(file string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return temporary.ReplaceText(file, mode, data)
}

// newName returns a name for a profile that is asked for now.
func newName(key []byte, p *profilerpb.Profile, now time.Time) string {
	b := make([]byte, nameHead, nameSize)
	b[0] = nameVersion
	binary.BigEndian.PutUint64(b[1:], uint64(now.UnixNano()))
	rand.Read(b[9:nameHead])
	b = append(b, signature(key, b, p)...)
	return "projects/" + p.GetDeployment().GetProjectId() + "/profiles/" + base64.RawURLEncoding.EncodeToString(b)
}

var errUnknownName = errors.New("unknown profile: send the name, deployment, type and duration that CreateProfile returned")

// checkName returns when a profile was asked for. It fails unless newName has
// made the name for just this deployment, type and duration.
func checkName(key []byte, p *profilerpb.Profile) (asked time.Time, err error) {
	project, id, err := splitName(p.GetName())
	if err != nil {
		return time.Time{}, err
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(id)
	if err != nil || len(b) != nameSize || b[0] != nameVersion || project != p.GetDeployment().GetProjectId() {
		return time.Time{}, errUnknownName
	}
	if !hmac.Equal(b[nameHead:], signature(key, b[:nameHead], p)) {
		return time.Time{}, errUnknownName
	}
	return time.Unix(0, int64(binary.BigEndian.Uint64(b[1:]))), nil
}

func splitName(name string) (project, id string, err error) {
	rest, ok := strings.CutPrefix(name, "projects/")
	if ok {
		project, id, ok = strings.Cut(rest, "/profiles/")
	}
	if !ok || project == "" || id == "" || strings.Contains(project, "/") || strings.Contains(id, "/") {
		return "", "", fmt.Errorf("invalid name %.200q of a profile: use projects/PROJECT/profiles/ID", name)
	}
	return project, id, nil
}

func signature(key, head []byte, p *profilerpb.Profile) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(head)
	var b bytes.Buffer
	number := func(v uint64) { b.Write(binary.AppendUvarint(nil, v)) }
	number(uint64(p.GetProfileType()))
	number(uint64(p.GetDuration().AsDuration()))
	h.Write(b.Bytes())
	h.Write([]byte(deploymentKey(p.GetDeployment())))
	return h.Sum(nil)[:nameSize-nameHead]
}

// deploymentKey returns a text that tells deployments apart.
func deploymentKey(d *profilerpb.Deployment) string {
	var b []byte
	text := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	text(d.GetProjectId())
	text(d.GetTarget())
	for _, name := range slices.Sorted(maps.Keys(d.GetLabels())) {
		text(name)
		text(d.GetLabels()[name])
	}
	return string(b)
}
