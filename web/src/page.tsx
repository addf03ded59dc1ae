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
const inverted = data.trees[0]!.inverted;
keepInFragment(
  (fragment) => `/flame?${fragment || (inverted ? 'inverted=1' : '')}`,
  (link) => cut(link)[1] || (inverted ? 'inverted=0' : ''),
);
render(<Boundary><FlamePage data={data} /></Boundary>, document.getElementById('app')!);
