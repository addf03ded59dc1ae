package cloudprofiler

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/cloudprofiler/profilerpb"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Labels of this protocol that have no name among those of package store.
const (
	labelProject  = "project"
	labelLanguage = "language"
)

// kinds are hone's words for the types of profiles.
var kinds = map[profileType]string{
	profilerpb.ProfileType_CPU:        "cpu",
	profilerpb.ProfileType_WALL:       "wall",
	profilerpb.ProfileType_HEAP:       "heap",
	profilerpb.ProfileType_THREADS:    "goroutine",
	profilerpb.ProfileType_CONTENTION: "mutex",
	profilerpb.ProfileType_PEAK_HEAP:  "peak_heap",
	profilerpb.ProfileType_HEAP_ALLOC: "allocs",
}

// kindOf returns hone's word for a type. What Go's agent calls threads are
// goroutines; those of other languages are threads.
func kindOf(t profileType, d *profilerpb.Deployment) string {
	if language := d.GetLabels()[labelLanguage]; t == profilerpb.ProfileType_THREADS && language != "" && language != "go" {
		return "threads"
	}
	return kinds[t]
}

// typeOf returns the type for one of hone's words, unspecified without one.
func typeOf(kind string) profileType {
	if kind == "threads" {
		return profilerpb.ProfileType_THREADS
	}
	for t, k := range kinds {
		if k == kind {
			return t
		}
	}
	return profilerpb.ProfileType_PROFILE_TYPE_UNSPECIFIED
}

// push translates an upload. The profile was asked for at the time asked, and
// for its duration; a profile that comes without being asked for has no such time.
func push(p *profilerpb.Profile, asked time.Time) ingest.Push {
	d := p.GetDeployment()
	push := ingest.Push{Data: p.GetProfileBytes(), Kind: kindOf(p.GetProfileType(), d)}
	push.Amend = func(decoded *profile.Profile) {
		if p.GetProfileType() == profilerpb.ProfileType_HEAP {
			dropZeroAllocs(decoded)
		}
		// Contention profiles of Go's agent don't tell how long they took.
		if decoded.DurationNanos <= 0 {
			decoded.DurationNanos = max(0, int64(p.GetDuration().AsDuration()))
		}
	}
	for _, ls := range []map[string]string{d.GetLabels(), p.GetLabels()} {
		for name, value := range ls {
			if name != labelProject && name != store.LabelService && name != store.LabelKind {
				push.Labels = append(push.Labels, store.Label{Name: name, Value: value})
			}
		}
	}
	push.Labels = append(push.Labels, store.Label{Name: labelProject, Value: d.GetProjectId()}, store.Label{Name: store.LabelService, Value: d.GetTarget()})
	if asked.IsZero() {
		if t := p.GetStartTime(); t != nil {
			push.Time = t.AsTime().UnixNano()
		}
	} else {
		// The agent starts as soon as it is asked. Its clock may be wrong; the
		// server's is the one that all instances share.
		push.Time = asked.UnixNano()
		push.Key = p.GetName()
	}
	return push
}

// dropZeroAllocs removes the columns of allocations where they are all zero:
// Go's agent clears them in heap profiles, having a type of its own for them.
func dropZeroAllocs(p *profile.Profile) {
	drop := func(i int) bool {
		return strings.HasPrefix(p.SampleTypes[i].Type, "alloc_") && !slices.ContainsFunc(p.Values[i], func(v int64) bool { return v != 0 })
	}
	var types []profile.ValueType
	var values [][]int64
	for i, t := range p.SampleTypes {
		if !drop(i) {
			types, values = append(types, t), append(values, p.Values[i])
		}
	}
	if len(types) == 0 {
		return // nothing else is in it
	}
	p.SampleTypes, p.Values = types, values
	if !slices.ContainsFunc(types, func(t profile.ValueType) bool { return t.Type == p.DefaultSampleType }) {
		p.DefaultSampleType = ""
	}
}

// Limits of what agents say of themselves. Cloud Profiler's own names of
// services have 255 characters at most.
const (
	maxName   = 255
	maxLabels = 64
)

// checkDeployment completes and checks what a request says of its sender.
func checkDeployment(parent string, d *profilerpb.Deployment) error {
	project, err := checkParent(parent)
	if err != nil {
		return err
	}
	if d == nil {
		return errors.New("the deployment is missing")
	}
	if d.ProjectId == "" {
		d.ProjectId = project
	}
	if d.ProjectId != project {
		return fmt.Errorf("the deployment's project_id is %q, but the parent is %q", d.ProjectId, parent)
	}
	if d.Target == "" || len(d.Target) > maxName {
		return fmt.Errorf("the deployment's target (the service) has %d bytes; it must have 1 to %d", len(d.Target), maxName)
	}
	return checkLabels("deployment", d.GetLabels())
}

func checkParent(parent string) (project string, err error) {
	project, ok := strings.CutPrefix(parent, "projects/")
	if !ok || project == "" || len(project) > maxName || strings.Contains(project, "/") || !utf8.ValidString(project) {
		return "", fmt.Errorf("invalid parent %.300q: use projects/PROJECT", parent)
	}
	return project, nil
}

func checkLabels(of string, labels map[string]string) error {
	if len(labels) > maxLabels {
		return fmt.Errorf("the %s has %d labels; the limit is %d", of, len(labels), maxLabels)
	}
	for name, value := range labels {
		if name == "" || len(name) > maxName || len(value) > 4*maxName {
			return fmt.Errorf("the %s has the label %.300q of %d bytes and its value of %d; the limits are %d and %d", of, name, len(name), len(value), maxName, 4*maxName)
		}
	}
	return nil
}

// knownTypes returns the types that are known, each once.
func knownTypes(types []profileType) []profileType {
	var known []profileType
	for _, t := range types {
		if kinds[t] != "" && !slices.Contains(known, t) {
			known = append(known, t)
		}
	}
	return known
}

// pprof returns the bytes of a profile as agents send it.
func pprof(p *profile.Profile) ([]byte, error) {
	var b bytes.Buffer
	err := p.Encode(&b)
	return b.Bytes(), err
}

type profileType = profilerpb.ProfileType
