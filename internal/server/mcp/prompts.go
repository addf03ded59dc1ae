package mcp

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A task is one of the usual ones, as a prompt.
type task struct {
	name, description string
	arguments         []*sdk.PromptArgument
	text              string // with %s for each argument
	runs              bool   // it needs tools that run code
}

var tasks = []task{
	{
		name: "bottleneck", description: "Find what costs most in a profile, and what to change",
		arguments: []*sdk.PromptArgument{{Name: "profile", Description: "id of a profile or selector of stored ones", Required: true}},
		text: "Find the bottleneck of the profile %s with hone. Call hot, then why for the most expensive function of ours, then advise. " +
			"Say which line costs how much and why, and suggest one change. Don't guess what the tools don't show.",
	},
	{
		name: "faster", description: "Change a function, and prove that the change is right and faster", runs: true,
		arguments: []*sdk.PromptArgument{{Name: "function", Description: "the function to make faster", Required: true}},
		text: "Make %s faster without changing what it does. Measure first with bench, look at hot and why, write a patch, and call prove with it. " +
			"Keep the patch only if prove says right and faster. If it says untested, write the missing test first; if different, mend the patch for the input that it shows.",
	},
	{
		name: "production", description: "Find out what changed in a service in production",
		arguments: []*sdk.PromptArgument{{Name: "service", Description: "name of the service", Required: true}},
		text: "What changed in the service %s in the last week? Call history, then compare the newest version with the one before. " +
			"Report only changes that chance doesn't explain, with their sizes and since when.",
	},
}

func addPrompts(srv *sdk.Server, runs bool) {
	for _, t := range tasks {
		if t.runs && !runs {
			continue
		}
		srv.AddPrompt(&sdk.Prompt{Name: t.name, Description: t.description, Arguments: t.arguments},
			func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
				name := t.arguments[0].Name
				value := req.Params.Arguments[name]
				if value == "" || len(value) > maxArgument {
					return nil, fmt.Errorf("give %s, with at most %d bytes", name, maxArgument)
				}
				text := fmt.Sprintf(t.text, fmt.Sprintf("%q", quoted(value)))
				return &sdk.GetPromptResult{Description: t.description, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
			})
	}
}

// Resources: the list of profiles, and each profile and run as the text of its tool.
const (
	listURI    = "hone://profiles"
	profileURI = "hone://profile/"
	runURI     = "hone://run/"
)

func addResources(srv *sdk.Server, s *site) {
	const text = "text/plain"
	srv.AddResource(&sdk.Resource{Name: "profiles", URI: listURI, Description: "Profiles, runs and services", MIMEType: text}, s.read)
	srv.AddResourceTemplate(&sdk.ResourceTemplate{Name: "profile", URITemplate: profileURI + "{+id}", Description: "What costs most in a profile", MIMEType: text}, s.read)
	srv.AddResourceTemplate(&sdk.ResourceTemplate{Name: "run", URITemplate: runURI + "{+id}", Description: "The profiles of a run", MIMEType: text}, s.read)
}

func (s *site) read(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	var a answer
	uri := req.Params.URI
	id := func(prefix string) (string, bool) {
		rest, ok := strings.CutPrefix(uri, prefix)
		name, err := url.PathUnescape(rest)
		return name, ok && err == nil
	}
	var err error
	if profile, ok := id(profileURI); ok {
		err = s.hot(ctx, hotIn{profileIn: profileIn{Profile: profile}}, &a)
	} else if run, ok := id(runURI); ok {
		err = s.profiles(ctx, profilesIn{Run: run}, &a)
	} else {
		err = s.profiles(ctx, profilesIn{}, &a)
	}
	if err != nil {
		return nil, failure(err)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: "text/plain", Text: a.String()}}}, nil
}
