import { useMemo } from 'preact/hooks';
import { dark } from '../../state/theme';
import type { FlameModel } from '../../model/model';
import { CHANGE_STEPS } from '../../model/change';
import { changeFill, frameTheme, HEAT_STEPS, heatFill, PLAIN, type ColorBy } from '../../theme/frames';
import { entriesOf } from './entries';

export function Legend({ model, colors }: { model: FlameModel; colors: ColorBy }) {
  const fills = frameTheme(dark.value).fills[PLAIN]!;
  const entries = useMemo(() => entriesOf(model.about, colors), [model, colors]);
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
        <li key={`${e.label} ${e.fill}`}><Swatch fill={e.fill} />{e.label} <span class="soft">{e.share}</span></li>
      ))}
      {inlined && <li><Inlined /></li>}
    </ul>
  );
}

function Inlined() {
  return <span class="soft"><i class="flame-swatch flame-swatch-inlined" aria-hidden="true" />inlined</span>;
}
