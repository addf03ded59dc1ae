// What views and pages are given. Those who load them and they themselves share it.

import type { ProfileInfo } from '../api/types';
import type { State } from '../state/state';

/** Of a view of profiles. */
export interface ViewProps {
  /** What is known of the profile shown (of the first, if several are added up). */
  info: ProfileInfo;
  state: State;
  /** It stands beside another view, which does what the search and its keys ask for. */
  beside?: boolean;
}

/** Of a page beside the views, which has a state of its own. */
export interface PageProps<S> {
  state: S;
}
