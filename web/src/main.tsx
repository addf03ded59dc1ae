import './theme/theme.css';
import './state/theme';
import './view/visibleTexts';
import { render } from 'preact';
import { start } from './state/profiles';
import { runsState } from './state/runs';
import { state, stored } from './state/state';
import { pageState } from './state/pages';
import { App, runsPages, selectionHead, storePages } from './view/App';
import { Boundary } from './view/Boundary';
import { views } from './view/views';

// The view's code and the server's first answers are on their way together.
const load = runsState.peek() ? runsPages : pageState.peek() ? storePages : views.find((v) => v.id === state.peek().view)?.load;
if (stored.peek()) void selectionHead().catch(() => {});
void load?.().catch(() => {}); // the App asks again and tells
void start();
render(<Boundary><App /></Boundary>, document.getElementById('app')!);
