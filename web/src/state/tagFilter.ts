// Label filters: key=pattern for texts, key=range for numbers.

import { quote } from './pattern';

/** The filter for one value. Texts are patterns, which commas separate. */
export function valueFilter(key: string, value: string, numeric: boolean): string {
  if (numeric) return `${key}=${value}`;
  return `${key}=^${quote(value).replaceAll(',', '\\x2c')}$`;
}

/** Key and value of a filter on one label, as far as it is written. */
export function splitFilter(text: string): { key: string; value: string } | undefined {
  const at = text.indexOf('=');
  return at < 0 ? undefined : { key: text.slice(0, at).trim(), value: text.slice(at + 1).replace(/^\^/, '').replace(/\$$/, '') };
}
