import { withPlainNumbers } from './date-words.ts';

/** Parses a count. Returns undefined if the cell has none, and null if the text isn't a number. */
export function readCount(text: string): number | null | undefined {
  if (/^(|-+|[–—]|#?n\/?a|nan|null|none|undefined)$/i.test(text)) return undefined;
  const [, whole = '', unit = ''] = /^([\d.,\s’']+)([km]?)$/i.exec(withPlainNumbers(text)) ?? [];
  // Removes decimals that are all zero, as in `1,234.00` and `1 234,00`.
  const number = whole.trim().replace(/^(.*\d([.,\s’'])\d.*)(?!\2)[.,]0+$/, '$1');
  const isGrouped = /^[1-9]\d{0,2}([.,\s’']\d{3})+$|^[1-9]\d?(,\d{2})*,\d{3}$/.test(number);
  const value = Number(isGrouped ? number.replace(/\D/g, '') : number.replace(',', '.'));
  // `1,234K` is rejected, because its comma may separate thousands or decimals.
  if (number === '' || Number.isNaN(value) || (isGrouped && unit !== '')) return null;
  const count = value * (unit === '' ? 1 : unit.toLowerCase() === 'k' ? 1000 : 1_000_000);
  return unit === '' && !Number.isInteger(count) ? null : Math.round(count);
}
