// The order of a table's rows as links hold it: a column, with - in front for descending.

export interface Order {
  column: string;
  descending: boolean;
}

export function parseOrder(text: string): Order | null {
  if (text === '') return null;
  const descending = text.startsWith('-');
  return { column: descending ? text.slice(1) : text, descending };
}

export function orderText(order: Order): string {
  return (order.descending ? '-' : '') + order.column;
}

const collator = new Intl.Collator('en', { numeric: true });

/** Sorted copy of the rows; those that compare as equal keep their order. */
export function sorted<R>(rows: readonly R[], by: (row: R) => number | string, descending: boolean): R[] {
  const keys = rows.map(by);
  const index = rows.map((_, i) => i);
  const sign = descending ? -1 : 1;
  index.sort((i, j) => {
    const a = keys[i]!;
    const b = keys[j]!;
    const order = typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
    return sign * order || i - j;
  });
  return index.map((i) => rows[i]!);
}
