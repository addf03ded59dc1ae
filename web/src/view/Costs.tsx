import type { Quantity } from '../api/types';
import { percentText } from './table/format';
import { COSTS } from './vocabulary';

/** What a function costs: itself, and with what it calls. */
export function Costs({ flat, cum }: { flat: Quantity; cum: Quantity }) {
  return (
    <>
      <Cost of="flat" q={flat} />{' '}
      <Cost of="cum" q={cum} />
    </>
  );
}

function Cost({ of, q }: { of: keyof typeof COSTS; q: Quantity }) {
  const { title, about } = COSTS[of];
  return (
    <span class="num" title={about('function')}>
      <span class="soft">{title.toLowerCase()}</span> {q.text} <span class="soft">{percentText(q.percent)}</span>
    </span>
  );
}
