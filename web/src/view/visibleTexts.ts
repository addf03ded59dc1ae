// Every text of a page that came from elsewhere is shown with characters that turn
// text as escapes; see model/visible. Done where elements are made, so that no view
// can forget it. What is typed stays as it is.

import { options } from 'preact';
import { visible } from '../model/visible';

const before = options.vnode;

options.vnode = (vnode) => {
  const { type, props } = vnode as { type: unknown; props: unknown };
  if (type === null) {
    if (typeof props === 'string') (vnode as { props: unknown }).props = visible(props);
  } else if (typeof type === 'string') {
    const attributes = props as Record<string, unknown>;
    for (const name of ['title', 'aria-label']) {
      const text = attributes[name];
      if (typeof text === 'string') attributes[name] = visible(text);
    }
  }
  before?.(vnode);
};
