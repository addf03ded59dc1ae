import './theme/theme.css';
import './state/theme';
import { render } from 'preact';
import { start } from './state/profiles';
import { state } from './state/state';
import { App } from './view/App';
import { Boundary } from './view/Boundary';
import { views } from './view/views';

// The view's code and the server's first answers are on their way together.
void views.find((v) => v.id === state.peek().view)?.load().catch(() => {}); // the App asks again and tells
void start();
render(<Boundary><App /></Boundary>, document.getElementById('app')!);
