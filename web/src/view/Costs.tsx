import type { Quantity } from '../api/types';
import { percentText } from './table/format';
import { COSTS } from './vocabulary';

interface Props {
  flat: Quantity;
  cum: Quantity;
  /** What else the first one has here. */
  also?: string;
  /** Prints them as a column beside them has its values. */
  figure?: (q: Quantity) => string;
}

/** What a function costs: itself, and with what it calls. */
export function Costs({ flat, cum, also, figure = (q) => q.text }: Props) {
  return (
    <>
      <Cost of="flat" q={flat} figure={figure} />{also && <span class="soft">{also}</span>}{' '}
      <Cost of="cum" q={cum} figure={figure} />
    </>
  );
}

function Cost({ of, q, figure }: { of: keyof typeof COSTS; q: Quantity; figure: (q: Quantity) => string }) {
  const { title, about } = COSTS[of];
  return (
    <span class="num" title={about('function')}>
      <span class="soft">{title.toLowerCase()}</span> {figure(q)} <span class="soft">{percentText(q.percent)}</span>
    </span>
  );
}
