package cloudprofiler

import (
	"io"
	"log/slog"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/cloudprofiler/profilerpb"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
)

// FuzzRequests sends bytes as each of the messages that carry a profile.
// Whatever they are, the server lives, and no name is valid that it hasn't given.
func FuzzRequests(f *testing.F) {
	p := &profilerpb.Profile{Name: "projects/acme/profiles/AQ", ProfileType: cpu, Deployment: deploymentOf("shop"),
		ProfileBytes: ingesttest.Profile(f, "cpu.empty.pb.gz"), Labels: map[string]string{"instance": "node-7"}}
	for _, m := range []proto.Message{
		&profilerpb.UpdateProfileRequest{Profile: p}, &profilerpb.CreateOfflineProfileRequest{Parent: "projects/acme", Profile: p}, pollFor("shop"),
	} {
		data, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	recv := &recorder{err: ingest.Errorf(ingest.Limited, "this is about requests, not about profiles")}
	s, err := New(recv, nil, Config{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var update profilerpb.UpdateProfileRequest
		if (codec{}).Unmarshal(data, &update) == nil {
			if _, err := s.UpdateProfile(t.Context(), &update); err == nil {
				t.Errorf("the name %q is valid", update.GetProfile().GetName())
			}
		}
		var offline profilerpb.CreateOfflineProfileRequest
		if (codec{}).Unmarshal(data, &offline) == nil {
			_, _ = s.CreateOfflineProfile(t.Context(), &offline)
		}
		var poll profilerpb.CreateProfileRequest
		if (codec{}).Unmarshal(data, &poll) == nil {
			if err := checkDeployment(poll.GetParent(), poll.GetDeployment()); err == nil && deploymentKey(poll.GetDeployment()) == "" {
				t.Error("a deployment without a key")
			}
		}
	})
}
