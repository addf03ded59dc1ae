// The page that hone writes into a file. internal/report/flame_html.go has its
// frame; its state is the fragment of its address.

import './theme/theme.css';
import './state/theme';
import { render } from 'preact';
import type { Embedded } from './model/tree';
import { FlamePage } from './page/FlamePage';
import { href, liveAt, parse } from './state/state';
import { Boundary } from './view/Boundary';

const data = JSON.parse(document.getElementById('data')!.textContent) as Embedded;
const inverted = data.trees[0]!.inverted;
liveAt({
  read: () => parse('/flame', location.hash.slice(1) || (inverted ? 'inverted=1' : '')),
  link: (s) => `#${href(s).split('?')[1] ?? (inverted ? 'inverted=0' : '')}`,
});
render(<Boundary><FlamePage data={data} /></Boundary>, document.getElementById('app')!);
