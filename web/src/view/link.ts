/** A click handler for links within the page: a plain click stays, others (new tab, download) are the browser's. */
export function follow(there: () => void): (e: MouseEvent) => void {
  return (e) => {
    if (e.defaultPrevented || e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
    e.preventDefault();
    there();
  };
}
