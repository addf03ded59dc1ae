// What is taste is kept in the browser, and not in a link. Storage may be forbidden:
// then it holds for the page only.

/** What was kept under a key, null if nothing was. */
export function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a value; null forgets it. */
export function keep(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Then it holds for this page only.
  }
}
