import { ungrouped } from '../../api/figures';
import type { Column } from './Table';

/** Rows as CSV, by RFC 4180. */
export function csv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')).join('\r\n')
    + '\r\n';
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
