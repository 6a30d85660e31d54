import type { ParentBox } from './box-node.ts';
import { descriptionsOf, entriesOf, extensionsOf } from './descriptions.ts';
import { fourCc } from './forward-reader.ts';

/** Colours by the numbers of ITU-T H.273. */
export interface DeclaredColours {
  readonly transfer: number;
  readonly matrix: number;
}

/**
 * Length of an `nclx` or `nclc` up to the end of its matrix, and the offsets of the transfer curve and the matrix in
 * it.
 */
const [NUMBERS_LENGTH, TRANSFER, MATRIX] = [10, 6, 8];

/**
 * Returns what the first description of a track says about its colours (`colr`, ISO/IEC 14496-12, section 12.1.5;
 * QuickTime's form has no range); null if it doesn't state them, or has an ICC profile instead.
 */
export function declaredColours(track: ParentBox): DeclaredColours | null {
  const list = descriptionsOf(track);
  const [first] = list ? entriesOf(list) : [];
  if (!list || !first) return null;
  for (const { type, start, end } of extensionsOf(list, first)) {
    if (type === 'colr' && end - start >= NUMBERS_LENGTH && ['nclx', 'nclc'].includes(fourCc(list, start)))
      return { transfer: list.getUint16(start + TRANSFER), matrix: list.getUint16(start + MATRIX) };
  }
  return null;
}

const [PQ, HLG] = [16, 18];

/** Returns the HDR transfer curve that a track's description states; null if it states another curve or none. */
export function hdrOf(track: ParentBox): 'hlg' | 'pq' | null {
  const transfer = declaredColours(track)?.transfer;
  return transfer === HLG ? 'hlg' : transfer === PQ ? 'pq' : null;
}
