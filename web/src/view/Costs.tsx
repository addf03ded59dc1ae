import type { Quantity } from '../api/types';
import { percentText } from './table/format';
import { COSTS } from './vocabulary';

/** What a function costs: itself, and with what it calls. also: what else the first one has here. */
export function Costs({ flat, cum, also }: { flat: Quantity; cum: Quantity; also?: string }) {
  return (
    <>
      <Cost of="flat" q={flat} />{also && <span class="soft">{also}</span>}{' '}
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
