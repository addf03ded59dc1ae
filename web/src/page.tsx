// The page that hone writes into a file. internal/report/flame_html.go has its
// frame; its state is the fragment of its address.

import './theme/theme.css';
import './state/theme';
import './view/visibleTexts';
import { render } from 'preact';
import type { Embedded } from './model/tree';
import { FlamePage } from './page/FlamePage';
import { cut, keepInFragment } from './state/address';
import { Boundary } from './view/Boundary';

const data = JSON.parse(document.getElementById('data')!.textContent) as Embedded;
const { inverted, mine } = data.trees[0]!;
const first = [...(inverted ? ['inverted=1'] : []), ...(mine ? ['mine=true'] : [])].join('&');
keepInFragment((fragment) => `/flame?${fragment || first}`, (link) => cut(link)[1] || (first && 'inverted=0'));
render(<Boundary><FlamePage data={data} /></Boundary>, document.getElementById('app')!);
