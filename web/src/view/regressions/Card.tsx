// One regression: a sentence, the figures, the causes, and what to do about it.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Regression } from '../../api/regressions';
import { origin } from '../../state/address';
import { status } from '../../state/continuous';
import { shortName } from '../../model/names';
import { pageHref } from '../../state/pages';
import { timeText } from '../../state/selection';
import { go, href } from '../../state/state';
import { follow } from '../link';
import { Button, copyText, Icon, IconButton, Popover } from '../parts';
import { causesOf, comparisonOf, type Weight } from './order';
import {
  acknowledgedText, allWhole, causeText, changeText, costTitle, growthText, intervalText, kindTitle, MEASURED, measuredText, sentence,
  serviceWhole, weightText,
} from './words';

interface Props {
  regression: Regression;
  /** All that are known: see comparisonOf. */
  all: readonly Regression[];
  /** What orders them: see weights. */
  weight: Weight;
  /** The link is about it. */
  asked: boolean;
  /** The tab key reaches it. */
  current: boolean;
  onFocus: () => void;
  /** The form of its acknowledgement is open. */
  asking: boolean;
  onAsk: (open: boolean) => void;
  onAcknowledge: (reason: string) => void;
  onTakeBack: () => void;
}

export function Card({ regression: r, all, weight, asked, current, onFocus, asking, onAsk, onAcknowledge, onTakeBack }: Props) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!asked) return;
    ref.current?.focus({ preventScroll: true });
    ref.current?.scrollIntoView({ block: 'nearest' });
  }, [asked]);
  const id = `regression-${r.id}`;
  const to = comparisonOf(r, all);
  const measured = measuredText(r);
  const may = status.value?.user.roles.includes('write') ?? false;
  return (
    <li>
      <article
        ref={ref}
        class={`regression${asked ? ' regression-asked' : ''}${r.state === 'open' ? '' : ' regression-done'}`}
        tabIndex={current ? 0 : -1}
        aria-labelledby={id}
        onFocus={onFocus}
      >
        <div class="regression-main">
          <p class="regression-of">
            <b>{r.service}</b> <span class="badge">{kindTitle(r.kind)}</span>
            {r.state !== 'open' && <span class={`badge${r.state === 'resolved' ? ' badge-good' : ''}`}>{r.state}</span>}
          </p>
          <h2 id={id}>{sentence(r).map((w, i) => (w.fn ? <code key={i} title={w.fn}>{w.text}</code> : w.text))}</h2>
          <Causes of={r} among={all} />
          {measured && <p class="regression-known soft" title={MEASURED}>{measured}</p>}
          {(r.state === 'acknowledged' || (r.state === 'resolved' && r.acknowledged > 0)) && (
            <p class="regression-known"><Icon name="user" /><span>{acknowledgedText(r)}</span></p>
          )}
          {r.resolved > 0 && (
            <p class="regression-known">
              <Icon name="check" /><span>The check of {timeText(r.resolved, false)} found the cost as before</span>
            </p>
          )}
        </div>
        <Figures of={r} weight={weight} />
        <div class="regression-actions">
          <a class="btn btn-primary" href={href(to)} onClick={follow(() => go(to))}><Icon name="compare" />Compare</a>
          {r.state === 'open' && may && (
            <Acknowledge open={asking} onOpen={onAsk} onAcknowledge={onAcknowledge} />
          )}
          {r.state === 'acknowledged' && may && <Button onClick={onTakeBack}>Take back</Button>}
          <IconButton
            icon="link"
            label="Copy a link to this regression"
            onClick={() => void copyText(origin() + pageHref({ page: 'regressions', id: r.id }), 'Link copied')}
          />
        </div>
      </article>
    </li>
  );
}

/** The figures, in columns where there is room. */
function Figures({ of: r, weight }: { of: Regression; weight: Weight }) {
  return (
    <dl class="regression-figures">
      <Figure title="Growth" value={growthText(r.growth)} more={intervalText(r)} kind="regression-growth" />
      <Figure title="Cost" value={changeText(r)} more={costTitle(r)} />
      <Figure title="Of the service" value={weightText(r.share)} more={serviceWhole(r)} />
      <Figure title="Of these services" value={weightText(weight.share)} more={allWhole(r, weight)} />
    </dl>
  );
}

function Figure({ title, value, more, kind = '' }: { title: string; value: string; more: string; kind?: string }) {
  return (
    <div class={kind}>
      <dt>{title}</dt>
      <dd><span class="regression-value">{value}</span> <span class="soft">{more}</span></dd>
    </div>
  );
}

const SHOWN = 3;

/** The functions that caused it, the likeliest first, each with the comparison of it. */
function Causes({ of: r, among }: { of: Regression; among: readonly Regression[] }) {
  const [all, setAll] = useState(false);
  const known = [
    ...r.new.map((name) => ({ cause: { function: name, callees: true }, about: 'new' })),
    ...causesOf(r).map((cause) => ({ cause, about: causeText(cause) })),
  ];
  if (known.length === 0) return null;
  return (
    <div class="regression-causes">
      <span class="soft">Likely causes:</span>
      <ol>
        {(all ? known : known.slice(0, SHOWN)).map(({ cause, about }) => {
          const name = cause.function;
          const to = comparisonOf(r, among, cause);
          return (
            <li key={name}>
              <a class="mono" href={href(to)} title={name} onClick={follow(() => go(to))}>{shortName(name)}</a>
              {' '}<span class="soft">{about}</span>
            </li>
          );
        })}
      </ol>
      {!all && known.length > SHOWN && <Button kind="plain" onClick={() => setAll(true)}>{known.length - SHOWN} more</Button>}
    </div>
  );
}

interface AcknowledgeProps {
  open: boolean;
  onOpen: (open: boolean) => void;
  onAcknowledge: (reason: string) => void;
}

function Acknowledge({ open, onOpen, onAcknowledge }: AcknowledgeProps) {
  return (
    <Popover button="Acknowledge" label="Say that you know about it" keys="a" align="end" open={open} onOpen={onOpen}>
      {(close) => <Reason onDone={(reason) => { close(); onAcknowledge(reason); }} />}
    </Popover>
  );
}

function Reason({ onDone }: { onDone: (reason: string) => void }) {
  const [text, setText] = useState('');
  return (
    <form class="time-form" onSubmit={(e) => { e.preventDefault(); onDone(text.trim()); }}>
      <h2>Acknowledge</h2>
      <label>
        Reason<input
          class="find"
          type="text"
          maxLength={200}
          placeholder="optional, such as: expected, we log more"
          value={text}
          onInput={(e) => setText(e.currentTarget.value)}
        />
      </label>
      <p class="soft">It then leaves this list and the counts. Everyone sees who acknowledged it, and why.</p>
      <div class="button-row"><Button kind="primary" type="submit">Acknowledge</Button></div>
    </form>
  );
}
