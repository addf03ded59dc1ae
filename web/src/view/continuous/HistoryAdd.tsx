import type { Top } from '../../api/types';
import { patternOf } from '../../state/pattern';
import { useReport } from '../../state/report';
import { formatSelection } from '../../state/selection';
import { selected } from '../../state/selected';
import { go, setOwn, state as shownState } from '../../state/state';
import { Popover } from '../parts';
import { percentText } from '../table/format';

/** A function to show, found among those of the selection. */
export function Add({ known }: { known: readonly string[] }) {
  return (
    <Popover kind="quiet" icon="plus" label="Add a function" button={<span class="history-add-word">Function</span>} class="sel-editor">
      {(close) => <Finder known={known} close={close} />}
    </Popover>
  );
}

function Finder({ known, close }: { known: readonly string[]; close: () => void }) {
  const s = shownState.value;
  const find = s.own.find ?? '';
  const q = new URLSearchParams({ profile: formatSelection(selected.value!), limit: '30' });
  if (find) q.set('find', patternOf(find));
  if (s.options.mine) q.set('mine', s.options.mine);
  const loading = useReport<Top>('top', q);
  const rows = (loading.answer?.report.rows ?? []).filter((r) => !known.includes(r.function ?? r.name));
  const take = (name: string) => {
    close();
    const { find: _, ...own } = shownState.peek().own;
    go({ own: { ...own, fns: [...known, name].join('\n') } });
  };
  return (
    <div class="choice">
      <h2>Add a function</h2>
      <input
        class="find sel-text"
        type="search"
        aria-label="Find a function"
        placeholder="Find a function"
        value={find}
        spellcheck={false}
        onInput={(e) => setOwn('find', e.currentTarget.value, 'replace')}
        onKeyDown={(e) => e.key === 'Enter' && rows[0] && take(rows[0].function ?? rows[0].name)}
      />
      <div class="choice-list">
        {rows.map((r) => (
          <button key={r.name} type="button" class="choice-item" onClick={() => take(r.function ?? r.name)}>
            <span class="mono">{r.name}</span><span class="soft">{percentText(r.flat.percent)}</span>
          </button>
        ))}
        {!loading.stale && rows.length === 0 && <p class="soft">No function matches.</p>}
      </div>
    </div>
  );
}
