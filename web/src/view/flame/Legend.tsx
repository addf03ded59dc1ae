import { useMemo } from 'preact/hooks';
import { dark } from '../../state/theme';
import { REST, type FlameModel } from '../../model/model';
import { CHANGE_STEPS } from '../../model/change';
import { formatPercent } from '../../model/units';
import {
  changeFill, frameTheme, HEAT_STEPS, heatFill, originFill, ORIGINS, packageFill, PLAIN, type ColorBy,
} from '../../theme/frames';

const MOST = 6;

interface Entry {
  label: string;
  share: string;
  fill: number;
}

/** What the colours mean; by package and module with their shares, by who was running. */
export function entriesOf(m: FlameModel, by: ColorBy): Entry[] {
  const sums = new Map<number | string, { value: number; fill: number; label: string }>();
  const { frames } = m;
  for (let n = 0; n < m.count; n++) {
    const f = m.frame[n]!;
    if (f < 0 || m.frame[n] === REST) continue;
    // Inverted, the innermost functions are those below the root.
    const value = m.about.inverted ? (m.depth[n] === 1 ? m.total[n]! : 0) : m.self[n]!;
    if (value <= 0) continue;
    const origin = frames.origin[f]!;
    const name = m.packages[frames.package[f]!] ?? '';
    const key = by === 'module' ? origin : name;
    const sum = sums.get(key);
    if (sum) sum.value += value;
    else {
      sums.set(key, by === 'module'
        ? { value, fill: originFill(origin), label: ORIGINS[origin] ?? ORIGINS[0] }
        : { value, fill: packageFill(name, origin), label: name === '' ? 'no package' : name });
    }
  }
  return [...sums.values()].sort((a, b) => b.value - a.value).slice(0, MOST)
    .map(({ value, fill, label }) => ({ label, fill, share: formatPercent(value, m.about.total) }));
}

export function Legend({ model, colors }: { model: FlameModel; colors: ColorBy }) {
  const fills = frameTheme(dark.value).fills[PLAIN]!;
  const entries = useMemo(() => (colors === 'package' || colors === 'module' ? entriesOf(model, colors) : []), [model, colors]);
  const inlined = useMemo(() => model.inlined.includes(1), [model]);
  const Swatch = ({ fill }: { fill: number }) => <i class="flame-swatch" style={{ background: fills[fill]! }} aria-hidden="true" />;
  if (colors === 'self' || colors === 'change') {
    const steps = colors === 'self'
      ? Array.from({ length: HEAT_STEPS + 1 }, (_, i) => heatFill((i / HEAT_STEPS) ** 2))
      : Array.from({ length: 11 }, (_, i) => changeFill((i - 5) * (CHANGE_STEPS / 5)));
    return (
      <div class="flame-legend" aria-label="Colours" role="group">
        <span>{colors === 'self' ? 'little self' : '▼ less'}</span>
        <span class="flame-scale">{steps.map((fill) => <Swatch key={fill} fill={fill} />)}</span>
        <span>{colors === 'self' ? 'much self' : '▲ more'}</span>
        {colors === 'change' && <span class="soft">grey: within noise</span>}
        {inlined && <Inlined />}
      </div>
    );
  }
  return (
    <ul class="flame-legend" aria-label="Colours, with shares by self">
      {entries.map((e) => (
        <li key={e.label}><Swatch fill={e.fill} />{e.label} <span class="soft">{e.share}</span></li>
      ))}
      {inlined && <li><Inlined /></li>}
    </ul>
  );
}

function Inlined() {
  return <span class="soft"><i class="flame-swatch flame-swatch-inlined" aria-hidden="true" />inlined</span>;
}
