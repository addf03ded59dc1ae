import { useMemo } from 'preact/hooks';
import type { Graph, GraphNode } from '../../api/types';
import { finder } from '../../state/pattern';
import { useReport } from '../../state/report';
import { queryOf, selectFunction, setOption, type Option, type State } from '../../state/state';
import { Button, Empty, openFunctionMenu, ReportState } from '../parts';
import { plural } from '../table/format';
import { FunctionName } from '../table/FunctionName';
import { headFacts } from '../table/headFacts';
import { selects } from '../table/names';
import { openSource } from '../table/select';
import { nextRow } from '../table/range';
import { useSearch, useStable } from '../table/useSearch';
import { Costs } from '../Costs';
import { isRequests, NoSamples } from '../NoSamples';
import type { ViewProps } from '../props';
import { Canvas } from './Canvas';
import { isTagged } from './geometry';
import '../table/pane.css';
import './graph.css';

/** Functions and the calls between them, by the rules of pprof's graph. */
export default function GraphView({ state }: ViewProps) {
  const graph = useReport<Graph>('graph', queryOf(state));
  const nodes = graph.answer?.report.nodes ?? [];
  const finds = useMemo(() => finder(state.search), [state.search]);
  const found = finds && graph.answer ? plural(nodes.filter((n) => finds(n.name)).length, 'function') : undefined;
  const matches = useSearch(state, useStable((direction) => {
    const from = nodes.findIndex((n) => selects(n) === state.fn);
    const at = nextRow(from, direction, nodes.length, (i) => matches?.(nodes[i]!.name) ?? false);
    if (at >= 0) selectFunction(selects(nodes[at]!));
  }), false, found);
  return (
    <section class="pane" aria-label="Graph">
      <div class="pane-bar">
        <Choice
          state={state}
          option="nodecount"
          label="Functions"
          usual="80"
          choices={[['20', '20'], ['40', '40'], ['80', '80'], ['160', '160'], ['320', '320'], ['0', 'all']]}
        />
        <Choice
          state={state}
          option="nodefraction"
          label="with at least"
          usual="0.005"
          choices={[['0', '0%'], ['0.001', '0.1%'], ['0.005', '0.5%'], ['0.01', '1%'], ['0.05', '5%']]}
        />
        <Choice
          state={state}
          option="edgefraction"
          label="Calls with at least"
          usual="0.001"
          choices={[['0', '0%'], ['0.001', '0.1%'], ['0.005', '0.5%'], ['0.01', '1%'], ['0.05', '5%']]}
        />
      </div>
      <ReportState
        loading={graph}
        skeleton="area"
        empty={({ report }) => (report.nodes.length > 0 ? undefined : report.total.value === 0 || isRequests() ? <NoSamples /> : (
          <Empty title="No functions to show">
            <p>No function has a large enough share, or a filter hides them all. Choose smaller shares above, or remove the filter.</p>
          </Empty>
        ))}
      >
        {({ report }) => (
          <>
            <div class="graph-box">
              <Canvas
                graph={report}
                selected={state.fn}
                matches={matches}
                compared={state.base.length > 0}
                onSelect={selectFunction}
                onOpen={openSource}
              >
                <Legend compared={state.base.length > 0} tagged={report.nodes.some(isTagged)} />
                <Card node={report.nodes.find((n) => selects(n) === state.fn)} />
              </Canvas>
            </div>
            <div class="pane-facts" title={report.header.join('\n')}>
              <span>{plural(report.nodes.length, 'function')}, {plural(report.edges.length, 'call')}</span>
              <span>{headFacts(report.header, state.base.length > 0).join(' · ')}</span>
            </div>
          </>
        )}
      </ReportState>
    </section>
  );
}

interface ChoiceProps {
  state: State;
  option: Option;
  label: string;
  /** What hone takes if nothing is said. */
  usual: string;
  choices: readonly (readonly [value: string, text: string])[];
}

function Choice({ state, option, label, usual, choices }: ChoiceProps) {
  const value = state.options[option] ?? usual;
  const known = choices.some(([v]) => v === value);
  return (
    <label class="graph-choice">
      {label}
      <span class="picklist">
        <select value={value} onChange={(e) => setOption(option, e.currentTarget.value === usual ? '' : e.currentTarget.value)}>
          {!known && <option value={value}>{value}</option>}
          {choices.map(([v, text]) => <option key={v} value={v}>{text}</option>)}
        </select>
      </span>
    </label>
  );
}

function Legend({ compared, tagged }: { compared: boolean; tagged: boolean }) {
  return (
    <ul class="graph-legend">
      {compared
        ? <><li>red: more; blue: less</li><li>stronger colour: larger change</li></>
        : <li>stronger colour: more in total</li>}
      <li>larger print: {compared ? 'larger change of self' : 'more self'}</li>
      <li><svg width="28" height="8" aria-hidden="true"><path class="dashed" d="M0 4H28" /></svg> through hidden functions</li>
      {tagged && (
        <li><svg width="8" height="8" aria-hidden="true"><circle class="tagged" cx="4" cy="4" r="2.5" /></svg> has labels: select it</li>
      )}
    </ul>
  );
}

const TAGS = 8;

/** The selected function in full, with its labels. */
function Card({ node }: { node: GraphNode | undefined }) {
  if (!node) return null;
  return (
    <aside class="graph-card" aria-label="Selected function">
      <button type="button" class="link-button" onClick={(e) => openFunctionMenu(selects(node), e.currentTarget)}>
        <FunctionName place={node} />
      </button>
      <p><Costs {...node} /></p>
      {node.tags && node.tags.length > 0 && (
        <ul>
          {node.tags.slice(0, TAGS).map((t, i) => (
            <li key={i}><span class="mono">{t.name.split('\\n').join(' ')}</span> <span class="num">{t.cum.text}</span></li>
          ))}
          {node.tags.length > TAGS && <li class="soft">and {node.tags.length - TAGS} more</li>}
        </ul>
      )}
      <Button kind="plain" onClick={() => openSource(selects(node))}>Source</Button>
    </aside>
  );
}
