// What the page says if nothing is listed: what is watched, and when hone looked last.

import type { Regression } from '../../api/regressions';
import { setPage, type PageState } from '../../state/pages';
import { summary } from '../../state/regressions';
import { lengthText, timeText, zoneText } from '../../state/selection';
import { Button, Empty } from '../parts';
import { plural } from '../table/format';
import { ALL, listed } from './order';
import { kindTitle } from './words';

/** When hone looked last, and at how much. */
export function Looked() {
  const s = summary.value;
  if (!s) return null;
  const watched = s.services.filter((one) => one.compared > 0).length;
  const when = s.looked > 0 ? `Checked ${timeText(s.looked, false)} ${zoneText(s.looked)}` : 'Not checked since the server started';
  return <span>{when}, every {lengthText(s.every / 1e6)}, {plural(watched, 'service')}</span>;
}

export function Nothing({ state, all }: { state: PageState; all: readonly Regression[] }) {
  const filtered = state.find !== '' || state.service !== '' || state.kind !== '';
  const others = filtered ? listed(all, { ...state, service: '', kind: '' }, null).length : 0;
  const word = state.state === ALL ? '' : `${state.state || 'open'} `;
  return (
    <div class="pane-scroll" tabIndex={0} role="region" aria-label="List of regressions">
      <Empty title={others > 0 ? `No ${word}regression matches` : `No ${word}regressions`} icon={others > 0 ? 'filter' : 'check'}>
        {state.id !== '' && <p>The regression of this link isn’t kept any more.</p>}
        {others > 0
          ? <Button onClick={() => setPage({ find: '', service: '', kind: '', id: '' }, 'push')}>Show all {others}</Button>
          : <Watch />}
      </Empty>
    </div>
  );
}

function Watch() {
  const s = summary.value;
  if (!s) return <p>hone compares the cost of functions after each new version, and every six hours with a week before.</p>;
  const watched = s.services.filter((one) => one.compared > 0);
  return (
    <>
      <p>hone compares the cost of functions after each new version, and every six hours with a week before.</p>
      <p><Looked />.</p>
      {watched.length > 0 && (
        <div class="regression-watched" tabIndex={0} role="region" aria-label="Watched services">
          <table>
            <thead><tr><th scope="col">Service</th><th scope="col">Kinds</th><th scope="col">Compared until</th></tr></thead>
            <tbody>
              {watched.map((one) => (
                <tr key={one.name}>
                  <th scope="row">{one.name}</th>
                  <td>{one.kinds.map(kindTitle).join(', ')}</td>
                  <td>{timeText(one.compared, false)} {zoneText(one.compared)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {watched.length === 0 && <p>It has compared nothing yet: a new version is compared ten minutes after its first profile.</p>}
    </>
  );
}
