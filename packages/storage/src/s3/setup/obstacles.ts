import { codeOf, httpStatusOf } from '../client/failures.ts';
import { UnknownRules } from './safe-rewrite.ts';

/** The reason why a rule has to be applied by hand, or can't be applied at all, although the bucket is usable. */
export interface Obstacle {
  /**
   * `not_allowed`: the access key isn't allowed to read or change these rules. `not_safe`: writing would damage
   * existing rules.
   */
  readonly outcome: 'unsupported' | 'not_allowed' | 'not_safe';
  readonly reason: string;
}

/** Codes with which stores answer a rule they don't know. MinIO reports malformed XML. */
const UNKNOWN_RULE = new Set(['NotImplemented', 'XNotImplemented', 'UnsupportedOperation', 'MalformedXML']);

/** Statuses with which stores answer a request they don't know (RFC 9110 sections 15.5.6 and 15.6.2). */
const UNKNOWN_REQUEST = new Set([405, 501]);

/** Returns the obstacle that an error indicates; null if it indicates none. */
export function obstacleOf(error: unknown): Obstacle | null {
  if (error instanceof UnknownRules) {
    const reason = `the bucket has rules with ${error.elements.join(', ')}, which rewriting them would drop`;
    return { outcome: 'not_safe', reason };
  }
  const [code, status] = [codeOf(error), httpStatusOf(error)];
  if (code === null) return null;
  const answer = `${code}, HTTP ${status}`;
  if (UNKNOWN_RULE.has(code) || UNKNOWN_REQUEST.has(status)) {
    return { outcome: 'unsupported', reason: `the store doesn't know such rules (${answer})` };
  }
  if (code === 'AccessDenied') {
    return { outcome: 'not_allowed', reason: `the access key is not allowed to read or change such rules (${answer})` };
  }
  return null;
}
