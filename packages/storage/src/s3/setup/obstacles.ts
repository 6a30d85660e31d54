import { codeOf, httpStatusOf } from '../client/failures.ts';
import { UnknownRules } from './safe-rewrite.ts';

/** Why a rule wasn't applied although everything is in order: it has to be done by hand, or not at all. */
export interface Obstacle {
  /**
   * `unsupported`: the store doesn't know such rules. `not_allowed`: the access key may not see or change them.
   * `not_safe`: there are rules that would suffer.
   */
  readonly outcome: 'unsupported' | 'not_allowed' | 'not_safe';
  /** The rest of a sentence. */
  readonly reason: string;
}

/** Answers of stores that don't know a kind of rule; MinIO finds its XML malformed. */
const UNKNOWN_RULE = new Set(['NotImplemented', 'XNotImplemented', 'UnsupportedOperation', 'MalformedXML']);

/** 405 and 501 (RFC 9110 sections 15.5.6 and 15.6.2). */
const UNKNOWN_REQUEST = new Set([405, 501]);

/** null for an error that prevents everything. */
export function obstacleOf(error: unknown): Obstacle | null {
  if (error instanceof UnknownRules) {
    const reason = `the bucket has rules with ${error.elements.join(', ')}, which writing them again would drop`;
    return { outcome: 'not_safe', reason };
  }
  const [code, status] = [codeOf(error), httpStatusOf(error)];
  if (code === null) return null;
  const answer = `${code}, HTTP ${status}`;
  if (UNKNOWN_RULE.has(code) || UNKNOWN_REQUEST.has(status)) {
    return { outcome: 'unsupported', reason: `the store doesn't know such rules (${answer})` };
  }
  if (code === 'AccessDenied') {
    return { outcome: 'not_allowed', reason: `the access key may not see or change such rules (${answer})` };
  }
  return null;
}
