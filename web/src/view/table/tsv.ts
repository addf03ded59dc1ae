import { ungrouped } from '../../api/figures';
import { spreadsheetCell } from './csv';

/** Rows as tab-separated text, for spreadsheets. */
export function tsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map((cell) => spreadsheetCell(ungrouped(cell.replace(/[\t\r\n]+/g, ' ')))).join('\t')).join('\n');
}
