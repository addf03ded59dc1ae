// The flame graph of the profiles that the server has.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { besideFlame, roomy, toggleTable } from '../../state/beside';
import { addExport } from '../../state/exports';
import { asked, refused } from '../../state/report';
import { href, reportQuery } from '../../state/state';
import { toast } from '../parts';
import { NoSamples } from '../NoSamples';
import type { ViewProps } from '../props';
import { Controller } from './controller';
import { FlamePane } from './FlamePane';
import { savePicture, type PictureFormat } from './picture';
import { server } from './server';
import { coloringOf, flameQuery, settingsOf } from './settings';

export default function FlameView({ info, state }: ViewProps) {
  const [graph] = useState(() => new Controller(server));
  const [callers] = useState(() => new Controller(server));
  const [before] = useState(() => new Controller(server));
  const asking = reportQuery.value;
  const query = useMemo(() => flameQuery(asking, settingsOf(state.own)), [asking, state.own]);
  useEffect(() => {
    asked.set('flame', query);
  }, [query]);

  useRefusal(graph);
  const diff = graph.whole.value?.about.diff ?? state.base.length > 0;
  const colors = coloringOf(state.own, diff);
  const pivot = settingsOf(state.own).pivot;
  useEffect(() => {
    const picture = (format: PictureFormat, hint: string) => addExport({
      label: format.toUpperCase(),
      hint,
      run: () => savePicture({ graph, callers, pivot, title: info.name.split('/').at(-1)!, colors, search: state.search }, format)
        .catch((err: Error) => toast(err.message, 'error')),
    });
    const gone = [picture('png', 'A picture of this view'), picture('svg', 'The same as a vector graphic')];
    return () => gone.forEach((remove) => remove());
  }, [graph, callers, pivot, info.name, colors, state.search]);

  return (
    <FlamePane
      graph={graph}
      callers={callers}
      before={before}
      state={state}
      asking={asking}
      diff={diff}
      tableHref={href({ ...state, view: 'top' })}
      table={roomy.value ? { on: besideFlame.value, toggle: toggleTable } : undefined}
      empty={<NoSamples />}
    />
  );
}

/** Tells the refine bar which option was refused. */
function useRefusal(graph: Controller): void {
  const error = graph.error.value;
  useEffect(() => {
    if (error?.param !== undefined) {
      refused.value = { param: error.param, value: reportQuery.peek().get(error.param) ?? '', message: error.message };
    } else if (!error) refused.value = null;
  }, [error]);
}
