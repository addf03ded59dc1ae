import { origin } from '../../state/address';
import { copyText, IconButton, tip } from '../parts';

const ways = (origin: string): readonly { title: string; about: string; code: string }[] => [
  {
    title: 'From inside a Go program',
    about: 'hone’s agent sends a short profile of every kind each minute. It needs only the standard library and limits its CPU time.',
    code: `import "github.com/hone-go/hone/agent"\n\na, err := agent.Start(agent.Config{\n\tServer:  "${origin}",\n\tService: "shop",\n})\n`
      + `if err == nil {\n\tdefer a.Stop(context.Background())\n}`,
  },
  {
    title: 'A file', about: 'Any profile that hone reads, for example from a test or benchmark.',
    code: `hone push -server ${origin} -service shop cpu.pb.gz`,
  },
  {
    title: 'Scraped from programs that serve net/http/pprof', about: 'In hone-serve.toml, then hone serve -config hone-serve.toml.',
    code: `[[scrape]]\nname = "shop"\n\n[[scrape.static]]\ntargets = ["localhost:6060"]`,
  },
];

/** Before there is anything: how to send the first profile. */
export function FirstProfile() {
  return (
    <div class="first-profile">
      <h2>No profiles yet</h2>
      <p class="soft">This page shows the first one as soon as it arrives.{' '}
        The agents of Cloud Profiler, Pyroscope, Parca and OpenTelemetry also work: set their server to <code>{origin()}</code>.</p>
      <ol>
        {ways(origin()).map((w) => (
          <li key={w.title}>
            <h3>{w.title}</h3>
            <p class="soft">{w.about}</p>
            <div class="first-code">
              <pre tabIndex={0}><code>{w.code}</code></pre>
              <IconButton icon="copy" label={`Copy: ${w.title}`} onClick={() => void copyText(w.code, 'Copied')} {...tip('Copy')} />
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}
