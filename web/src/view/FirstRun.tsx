import './firstrun.css';
import { openFileDialog } from './DropTarget';
import { CommandText, copyText, IconButton } from './parts';

const ways: readonly { title: string; about: string; command: string }[] = [
  { title: 'A benchmark or test', about: 'Go records where the time goes.', command: 'go test -bench . -cpuprofile cpu.pb.gz' },
  {
    title: 'A running service', about: 'If it imports net/http/pprof: records 30 seconds.',
    command: 'hone ui -seconds 30 http://localhost:6060/debug/pprof/profile',
  },
  {
    title: 'Its memory', about: 'Memory in use now, and allocations since the start.',
    command: 'hone ui http://localhost:6060/debug/pprof/heap',
  },
  {
    title: 'Before and after', about: 'See what a change did, by frame and function.',
    command: 'hone ui -base before.pb.gz after.pb.gz',
  },
];

/** The page before anything is open. */
export default function FirstRun() {
  return (
    <div class="first">
      <section class="first-open" aria-labelledby="first-title">
        <h1 id="first-title">Open a profile</h1>
        <p class="first-lead">
          Drop a file on this page: pprof, folded stacks, or several to compare. It stays on this computer.
        </p>
        <button type="button" class="first-drop" onClick={() => openFileDialog()}>
          <svg viewBox="0 0 160 72" class="first-art" aria-hidden="true" focusable="false">
            <path class="art-1" d="M0 0h160v16H0z" />
            <path class="art-2" d="M0 18h104v16H0zM106 18h40v16h-40z" />
            <path class="art-3" d="M0 36h62v16H0zM64 36h28v16H64zM106 36h22v16h-22z" />
            <path class="art-4" d="M0 54h30v16H0zM64 54h12v16H64z" />
          </svg>
          <span class="first-choose">Choose files…</span>
        </button>
      </section>
      <section class="first-ways" aria-labelledby="ways-title">
        <h2 id="ways-title">No profile yet?</h2>
        <ol>
          {ways.map((w) => (
            <li key={w.title}>
              <h3>{w.title}</h3>
              <p>{w.about}</p>
              <div class="first-command">
                <code tabIndex={0}>{w.command}</code>
                <IconButton icon="copy" label={`Copy the command: ${w.title}`} onClick={() => void copyText(w.command, 'Command copied')} />
              </div>
            </li>
          ))}
        </ol>
        <p class="soft">To write a file instead: <code><CommandText text="hone flame -o flame.html cpu.pb.gz" /></code></p>
      </section>
    </div>
  );
}
