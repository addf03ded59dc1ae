// A call graph's boxes and arrows. Rendered once for an answer; what is lit up
// and what is selected are classes set from outside.

import { Fragment } from 'preact';
import type { Graph, GraphEdge, GraphNode } from '../../api/types';
import { figureText } from '../../api/figures';
import { orNoName } from '../../model/names';
import { percentText } from '../table/format';
import { headData, heat, isTagged, pathData, thickness } from './geometry';
import { memo } from './memo';

export const Drawing = memo(function Drawing({ graph }: { graph: Graph }) {
  return (
    <>
      <g class="edges">{graph.edges.map((e, i) => <Edge key={i} graph={graph} edge={e} />)}</g>
      <g class="nodes">{graph.nodes.map((n, i) => <Node key={i} node={n} index={i} />)}</g>
    </>
  );
});

function Edge({ graph, edge }: { graph: Graph; edge: GraphEdge }) {
  const width = thickness(edge.weight.percent);
  const from = graph.nodes[edge.caller]?.name ?? '';
  const to = graph.nodes[edge.callee]?.name ?? '';
  const text = edge.weight.text + (edge.inline ? ' inlined' : '');
  const kind = `edge${edge.residual ? ' residual' : ''}${edge.weight.value < 0 ? ' negative' : ''}`;
  return (
    <g class={kind} data-from={edge.caller} data-to={edge.callee} style={{ '--heat': `${20 + heat(edge.weight.percent)}%` }}>
      <title>
        {`${from} ${edge.residual ? '⇢' : '→'} ${to}: ${text} (${percentText(edge.weight.percent)})`
          + `${edge.residual ? ', through hidden functions' : ''}`}
      </title>
      <path class="line" d={pathData(edge.path)} stroke-width={width} />
      <path class="head" d={headData(edge, width)} />
      {edge.labelAt && (
        <text y={edge.labelAt[1]}>
          <tspan x={edge.labelAt[0] + width / 2} dy={edge.inline ? '-0.25em' : '0.35em'}>{edge.weight.text}</tspan>
          {edge.inline && <tspan x={edge.labelAt[0] + width / 2} dy="1.1em">inlined</tspan>}
        </text>
      )}
    </g>
  );
}

const LINE = 1.2; // height of a line of text, in font sizes
const PLAIN = 0.58; // width of a character of wide fonts, in font sizes
const BOLD = 0.68;

function Node({ node, index }: { node: GraphNode; index: number }) {
  const { width, height, label } = node;
  const values = label.findIndex((line) => /^(-?[\d.]|of )/.test(line));
  // Fonts differ from the one boxes are measured with; the longest line has to fit.
  const widest = Math.max(1, ...label.map((line, i) => line.length * (i === values - 1 ? BOLD : PLAIN)));
  const size = Math.min(node.fontSize * 0.95, (width - 6) / widest);
  const top = -((label.length - 1) / 2) * size * LINE;
  return (
    <g
      class={`node${node.cum.value < 0 ? ' negative' : ''}`}
      data-node={index}
      transform={`translate(${node.x} ${node.y})`}
      role="button"
      aria-label={`${label.join(' ')}: ${node.name}`}
      style={{ '--heat': `${heat(node.cum.percent)}%` }}
    >
      <rect x={-width / 2} y={-height / 2} width={width} height={height} rx={3} />
      <text font-size={size}>
        {/* A space between lines for who copies them: in a line, it would be underlined with the name. */}
        {label.map((line, i) => (
          <Fragment key={i}>
            <tspan x={0} y={top + i * size * LINE} dy="0.35em" class={i === values - 1 ? 'name' : ''}>
              {values >= 0 && i >= values ? line.split(' ').map(figureText).join(' ') : orNoName(line)}
            </tspan>
            {' '}
          </Fragment>
        ))}
      </text>
      {isTagged(node) && <circle class="tagged" cx={width / 2 - 4} cy={-height / 2 + 4} r={2.5} />}
    </g>
  );
}
