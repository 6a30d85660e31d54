import type { Quantity } from './compare.ts';
import { ITEM_NUMBERS, isNumberRule, isSetNumber, type NumberRule } from './rule.ts';
import { findRule } from './targets.ts';

/**
 * The denominator to which ratios are rounded. It is small enough that its product with any width is an exact integer.
 */
const ASPECT_DECIMALS = 1_000_000;

/** Maximum override; no network has a higher limit. */
const MAX_OVERRIDE = 1_000_000_000_000;

/**
 * Reads an override of a rule's limit, which is given in the unit that responses use. Returns `unknown` if there is no
 * such rule, and as `problem` an error message without its subject.
 */
export function readOverride(id: string, value: unknown): Quantity | 'unknown' | { readonly problem: string } {
  const rule = findRule(id);
  if (!rule || !isNumberRule(rule)) return 'unknown';
  if (typeof value !== 'number' || !Number.isFinite(value)) return { problem: 'must be a number.' };
  if (value <= 0) return { problem: 'must be greater than 0.' };
  if (value > MAX_OVERRIDE) return { problem: `must not be greater than ${MAX_OVERRIDE}.` };
  return quantityOf(rule, value);
}

function quantityOf({ measure }: NumberRule, value: number): Quantity {
  if (measure === 'aspect') return { n: Math.round(value * ASPECT_DECIMALS), d: ASPECT_DECIMALS };
  const scale = isSetNumber(measure) ? 1 : ITEM_NUMBERS[measure].scale;
  return { n: scale === 1 ? value : Math.round(value * scale), d: 1 };
}
