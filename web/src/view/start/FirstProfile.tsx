import { origin } from '../../state/address';
import { status } from '../../state/continuous';
import { copyText, IconButton, tip } from '../parts';

interface Way {
  title: string;
  about: string;
  code: string;
}

/** The first step if the server requires a login. */
const TOKEN: Way = {
  title: 'First, a token',
  about: 'This server takes profiles only with a token that may write. Whoever runs the server makes one there; it is printed once. '
    + 'The commands below read it from a file.',
  code: 'hone token add -role write -service shop shop-agents > token',
};

/** The ways to send profiles; guarded: the server requires a login. */
const ways = (origin: string, guarded: boolean): readonly Way[] => [
  ...(guarded ? [TOKEN] : []),
  {
    title: 'From inside a Go program',
    about: 'hone’s agent sends a short profile of every kind each minute. It needs only the standard library and limits its CPU time.'
      + (guarded ? ' Start the program with the token in HONE_TOKEN.' : ''),
    code: `import "github.com/hone-go/hone/agent"\n\na, err := agent.Start(agent.Config{\n\tServer:  "${origin}",\n\tService: "shop",\n})\n`
      + `if err == nil {\n\tdefer a.Stop(context.Background())\n}`,
  },
  {
    title: 'A file', about: 'Any profile that hone reads, for example from a test or benchmark.',
    code: `hone push -server ${origin} ${guarded ? '-token-file token ' : ''}-service shop cpu.pb.gz`,
  },
  {
    title: 'Scraped from programs that serve net/http/pprof', about: 'In hone-serve.toml, then hone serve -config hone-serve.toml.',
    code: `[[scrape]]\nname = "shop"\n\n[[scrape.static]]\ntargets = ["localhost:6060"]`,
  },
];

/** Shown while the store is empty: how to send the first profile. */
export function FirstProfile() {
  const guarded = status.value !== null && status.value.user.by !== 'none';
  return (
    <div class="first-profile">
      <h2>No profiles yet</h2>
      <p class="soft">This page shows the first one as soon as it arrives.{' '}
        The agents of Cloud Profiler, Pyroscope, Parca and OpenTelemetry also work: set their server to <code>{origin()}</code>
        {guarded && <> and send the header <code>Authorization: Bearer TOKEN</code></>}.</p>
      <ol>
        {ways(origin(), guarded).map((w) => (
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
