// Exports that a view makes itself, such as a picture of its canvas.

import { signal } from '@preact/signals';

export interface OwnExport {
  label: string;
  hint?: string;
  run: () => void;
}

/** Exports of the view shown, made in the page. */
export const ownExports = signal<readonly OwnExport[]>([]);

/** Adds an export of a view's own; call what it returns when the view goes. */
export function addExport(item: OwnExport): () => void {
  ownExports.value = [...ownExports.peek(), item];
  return () => {
    ownExports.value = ownExports.peek().filter((other) => other !== item);
  };
}
