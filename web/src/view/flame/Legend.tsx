import { useMemo } from 'preact/hooks';
import type { FlameWidths } from '../../api/types';
import { dark } from '../../state/theme';
import type { FlameAbout, FlameModel } from '../../model/model';
import { frameTheme, PLAIN, type ColorBy } from '../../theme/frames';
import { tip } from '../parts';
import { COSTS } from '../vocabulary';
import { entriesOf, scaleOf } from './entries';

/** How frames look that one side of a comparison alone has, where they have width. */
function OneSided({ diff, widths }: Pick<FlameAbout, 'diff' | 'widths'>) {
  return (
    <>
      {diff && widths !== 'head' && <span class="soft"><i class="flame-swatch flame-swatch-gone" aria-hidden="true" />gone</span>}
      {diff && widths !== 'base' && <span class="soft"><i class="flame-swatch flame-swatch-new" aria-hidden="true" />new</span>}
    </>
  );
}

export function Legend({ model, colors, widths }: { model: FlameModel; colors: ColorBy; widths: FlameWidths }) {
  const fills = frameTheme(dark.value).fills[PLAIN]!;
  const entries = useMemo(() => entriesOf(model.about, colors), [model, colors]);
  const inlined = useMemo(() => model.inlined.includes(1), [model]);
  const Swatch = ({ fill }: { fill: number }) => <i class="flame-swatch" style={{ background: fills[fill]! }} aria-hidden="true" />;
  const scale = scaleOf(colors);
  const cost = colors === 'package' ? COSTS.cum : COSTS.flat;
  if (scale) {
    return (
      <div class="flame-legend" aria-label="Colours" role="group">
        <span>{scale.little}</span>
        <span class="flame-scale">{scale.fills.map((fill) => <Swatch key={fill} fill={fill} />)}</span>
        <span>{scale.much}</span>
        {colors === 'change' && <span class="soft">grey: within noise</span>}
        <OneSided diff={model.about.diff} widths={widths} />
        {inlined && <Inlined />}
      </div>
    );
  }
  return (
    <ul class="flame-legend" aria-label="Colours">
      {entries.length > 0 && <li class="soft" {...tip(cost.about(colors))}>{cost.title}</li>}
      {entries.map((e) => (
        <li key={`${e.label} ${e.fill}`}><Swatch fill={e.fill} />{e.label} <span class="soft">{e.share}</span></li>
      ))}
      {model.about.diff && <li class="flame-legend-sides"><OneSided diff={model.about.diff} widths={widths} /></li>}
      {inlined && <li><Inlined /></li>}
    </ul>
  );
}

function Inlined() {
  return <span class="soft"><i class="flame-swatch flame-swatch-inlined" aria-hidden="true" />inlined</span>;
}
