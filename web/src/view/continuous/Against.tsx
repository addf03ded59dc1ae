import { useRef, useState } from 'preact/hooks';
import { changes as askChanges, labels as askLabels, services as askServices } from '../../api/continuous';
import { useAnswer, useLasting } from '../../state/answer';
import { finder } from '../../state/pattern';
import { againstText, fairPer, otherSide, perOf, serviceOf, WEIGHTS } from '../../state/selection';
import { formatSelector, valueOf } from '../../state/selector';
import { chosenState, compareTo, endComparison, matchersShown, selected, selectedBase, versionsState } from '../../state/selected';
import { go, setOption, state } from '../../state/state';
import { restOfTimeline, timelineSpan } from '../../state/time';
import { Button, IconButton, Popover, toast, tip, ValueList } from '../parts';
import { count } from '../table/format';
import { choosing, picking } from './picking';

/** Up to so many values are buttons side by side; more are a list with a search. */
const FEW = 12;
const MOST = 1000;

export function openAgainst(): void {
  choosing.value = true;
}

/** What is compared with, or the way to say so. */
export function AgainstControl() {
  const s = selected.value;
  const base = selectedBase.value;
  const { own, options, profile } = state.value;
  if (!s) return null;
  const other = base && otherSide(own.vs ?? '', s, base);
  const menu = (
    <Popover
      kind="plain"
      icon="compare"
      label="Compare to another time, version, zone, label or weight"
      keys="m"
      class="against-box"
      align="end"
      buttonClass={base ? 'sel-set' : ''}
      open={choosing.value}
      onOpen={(to) => { choosing.value = to; }}
      button={!other ? <span class="sel-word">Compare to</span> : (
        <span class="against-name" title={`vs ${againstText(own.vs ?? '', s, base!)}`}>
          vs {other.name || other.time}{other.name && other.time && <span class="against-time">, {other.time}</span>}
        </span>
      )}
    >
      {(close) => <Choices close={close} />}
    </Popover>
  );
  if (!base) return menu;
  const normalized = options.normalize === 'true';
  const atLoad = options.base_total !== undefined;
  return (
    <div class="sel-against" role="group" aria-label="Comparison">
      {menu}
      <IconButton
        icon="swap"
        label="Swap the sides"
        onClick={() => { const { vs: _, ...rest } = own; go({ profile: state.value.base, base: profile, own: rest }); }}
      />
      <button
        type="button"
        role="switch"
        class="toggle"
        aria-checked={normalized}
        onClick={() => setOption('normalize', normalized ? '' : 'true')}
        {...tip(atLoad ? 'Scale both sides to the same load' : 'Scale both sides to one total, to compare shares')}
      >
        <span class="toggle-track" aria-hidden="true" />
        <span class="sel-word">{atLoad ? 'Same load' : 'Normalize'}</span>
      </button>
      <IconButton icon="close" label="End the comparison" onClick={endComparison} />
    </div>
  );
}

function Choices({ close }: { close: () => void }) {
  const s = selected.value!;
  const span = timelineSpan.value!;
  const service = serviceOf(s.q);
  const matchers = matchersShown.value ?? [];
  // Other values, whatever is selected of these labels now.
  const wide = formatSelector(matchers.filter((m) => m.name === 'service' || m.name === 'kind'));
  const params = { q: wide === '{}' ? '' : wide, from: span.from, to: span.to, limit: MOST };
  const loading = useAnswer(`labels ${JSON.stringify(params)}`, async (signal) => ({ labels: await askLabels(params, signal) }));
  const all = (loading.answer?.report.labels ?? []).filter((l) => !['service', 'kind'].includes(l.name));
  const box = useRef<HTMLDivElement>(null);
  const [label, setLabel] = useState('');
  const [find, setFind] = useState('');
  const name = label || all.find((l) => l.name === 'version')?.name || all[0]?.name || '';
  const others = (all.find((l) => l.name === name)?.values ?? []).filter((v) => v !== valueOf(matchers, name));
  const finds = finder(find);
  // If there are many values, the server searches those that aren't listed.
  const cut = (all.find((l) => l.name === name)?.more ?? 0) > 0;
  const asked = { ...params, name, find };
  const more = useLasting(
    cut && find !== '' ? `labels ${JSON.stringify(asked)}` : null, async (signal) => ({ labels: await askLabels(asked, signal) }),
  ).answer?.report.labels[0];
  const values = more?.values ?? others.filter((v) => finds?.(v) ?? true);
  const left = more ? more.more : (all.find((l) => l.name === name)?.more ?? 0);
  const take = (against: string) => () => {
    close();
    compareTo(against);
  };
  const rest = restOfTimeline.value;
  const bounded = s.from > 0 && s.to > 0 && !s.id;
  return (
    <div ref={box} class="against">
      <h2>Compare to</h2>
      {service !== undefined && (
        <Button icon="compare" kind="quiet" class="against-wide" onClick={() => { close(); void compareVersions(service); }}>
          The two latest versions of {service}
        </Button>
      )}
      <section aria-label="Time">
        <h3>Time</h3>
        <div class="button-row">
          <Button disabled={!bounded} onClick={take('previous')} {...tip('The same length, right before', 'p')}>Period before</Button>
          <Button disabled={!bounded} onClick={take('ago:1d')}>Day before</Button>
          <Button disabled={!bounded} onClick={take('ago:7d')}>Week before</Button>
          <Button disabled={!rest} onClick={take(rest ?? '')} {...tip('The rest of the timeline, without this part', 'R')}>The rest</Button>
          <Button
            disabled={!bounded}
            onClick={() => { close(); picking.value = true; toast('Drag on the timeline to choose what to compare with', 'note'); }}
            {...tip('Or drag with Shift held')}
          >On the timeline…</Button>
        </div>
      </section>
      {all.length > 0 && (
        <section aria-label="Label">
          <h3>
            <label class="picklist">
              <span class="visually-hidden">Label</span>
              <select value={name} onChange={(e) => { setLabel(e.currentTarget.value); setFind(''); }}>
                {all.map((l) => <option key={l.name} value={l.name}>{l.name}</option>)}
              </select>
            </label>
          </h3>
          {others.length <= FEW ? (
            <div class="button-row against-values">
              {others.map((v) => <Button key={v} onClick={take(`label:${name}=${v}`)}>{v}</Button>)}
              {others.length === 0 && <span class="soft">No other {name} in this time</span>}
            </div>
          ) : (
            <ValueList
              name={name}
              values={values}
              find={find}
              onFind={setFind}
              onTake={(v) => take(`label:${name}=${v}`)()}
              row={(v) => <button type="button" class="choice-item" title={v} onClick={take(`label:${name}=${v}`)}>{v}</button>}
              empty={<p class="soft">No {name} matches.</p>}
            />
          )}
          {left > 0 && <p class="soft">{count(left)} more: type to find them</p>}
        </section>
      )}
      <section aria-label="Weight">
        <h3>Weight</h3>
        <div class="button-row">
          {WEIGHTS.filter((w) => w.top !== s.top).map((w) => <Button key={w.top} onClick={take(`weight:${w.top}`)}>{w.title}</Button>)}
        </div>
      </section>
    </div>
  );
}

/** Shows what the latest version of a service changed against the one before it, at the same hours as the start page. */
export async function compareVersions(
  service: string, kind = selected.peek() ? valueOf(matchersShown.peek() ?? [], 'kind') : undefined,
): Promise<void> {
  try {
    const q = formatSelector([{ name: 'service', op: '=', value: service }]);
    const of = (await askServices({ q })).services[0];
    const [head, base] = of?.versions ?? [];
    if (!of || !head || !base) {
      toast(`${service} has sent profiles of one version only`, 'note');
      return;
    }
    const known = of.kinds.map((k) => k.kind);
    const shown = kind ?? (known.includes('cpu') ? 'cpu' : known[0]!);
    const facts = of.kinds.find((k) => k.kind === shown);
    const chosen = await askChanges({ service });
    if (chosen.version) {
      go(chosenState(chosen.version, '', shown === chosen.kind ? undefined : { kind: shown, per: facts ? perOf(facts) : fairPer(shown) }));
      return;
    }
    const from = Math.min(head.last, base.last) - 86_400_000;
    const to = Math.ceil(Math.max(head.last, base.last) / 1000) * 1000 + 1000;
    toast('The two versions ran at different hours of the day: shares are compared', 'note');
    go(versionsState(service, shown, base.version, head.version, { from, to }, facts && perOf(facts)));
  } catch (err) {
    toast(err instanceof Error ? err.message : String(err), 'error');
  }
}
