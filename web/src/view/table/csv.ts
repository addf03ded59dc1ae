import { ungrouped } from '../../api/figures';
import type { Column } from './Table';

// A spreadsheet takes a cell for a formula if it begins with one of these signs, with or
// without white space in front. A formula can run programs and send the other cells away.
const FORMULA = /^[\p{C}\p{Z}]*[=+\-@＝＋－＠]/u;
// A number with a unit can't.
const FIGURE = /^[+-]\d[\d.]*(?:e[+-]?\d+)?\s?[\p{L}%/]*$/u;

/** A cell for spreadsheets: an apostrophe in front is their own sign for text. The server's CSV does the same. */
export const spreadsheetCell = (cell: string): string => (FORMULA.test(cell) && !FIGURE.test(cell) ? `'${cell}` : cell);

/** Rows as CSV, by RFC 4180. */
export function csv(rows: readonly (readonly string[])[]): string {
  const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return rows.map((row) => row.map((cell) => quoted(spreadsheetCell(cell))).join(',')).join('\r\n') + '\r\n';
}

/** Saves a table as it is shown, all of its columns that have text. */
export function saveTable<R>(name: string, columns: readonly Column<R>[], rows: readonly R[]): void {
  const told = columns.filter((c) => c.text);
  save(new Blob([csv([told.map((c) => c.title), ...rows.map((r) => told.map((c) => ungrouped(c.text!(r))))])], { type: 'text/csv' }), name);
}

export function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
