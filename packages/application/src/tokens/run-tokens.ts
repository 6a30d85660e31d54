import {
  type AccessToken,
  EXPIRED_TOKEN_LIFE,
  invalid,
  isOperator,
  MAX_ROTATION_OVERLAP,
  notFound,
  type PageRequest,
  parseUuid,
  type Rows,
  sliceOf,
  type TokenFilter,
} from '@postshelf/domain';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports } from '../ports.ts';
import { pruneInBatches } from '../prune-in-batches.ts';
import { type IssuedToken, makeToken, signToken } from './issue-token.ts';

/** Lists tokens, newest first. */
export const listTokens = (
  { tokens }: Pick<Ports, 'tokens'>,
  filter: TokenFilter,
  page: PageRequest,
): Promise<Rows<AccessToken>> => tokens.page(filter, sliceOf(page));

/**
 * Finds a token by an id that an operator gave in a path or a command, even if the token is revoked or expired.
 *
 * @throws Refusal `not_found` for a malformed or unknown id, and for an operator's token unless `withOperators` is set
 */
export async function findToken(
  { tokens }: Pick<Ports, 'tokens'>,
  id: string,
  { withOperators = false }: Pick<TokenFilter, 'withOperators'> = {},
): Promise<AccessToken> {
  const uuid = parseUuid(id);
  const token = uuid && (await tokens.find(uuid));
  if (!token || (isOperator(token) && !withOperators)) throw notFound();
  return token;
}

/**
 * Issues a new token with the rights and the lifetime of an old one. The old token and its sessions end after the
 * overlap.
 *
 * @param overlap milliseconds
 * @throws Refusal `invalid` on `overlap`, or on `token` if it was rotated before or has ended
 */
export async function rotateToken(
  ports: Pick<Ports, 'tokens' | 'signer' | 'clock' | 'ids'>,
  old: AccessToken,
  overlap: number,
  complete?: Completing<IssuedToken>,
): Promise<IssuedToken> {
  if (!(overlap >= 0 && overlap <= MAX_ROTATION_OVERLAP)) {
    throw invalid('overlap', 'The overlap field must be between 0 seconds and 24 hours.');
  }
  const now = ports.clock.now();
  const { name, scopes, workspaceIds } = old;
  const token = makeToken(ports, { name, scopes, workspaceIds, lifetime: old.expiresAt - old.createdAt });
  const issued = { token, text: await signToken(ports, token) };
  const rotation = { token, oldEndsAt: now + overlap, now, completion: complete?.(issued) };
  if (!(await ports.tokens.rotate(old.id, rotation))) {
    throw invalid('token', 'The token has expired, was revoked or was already rotated.');
  }
  return issued;
}

/**
 * Prunes tokens that expired long ago, because short-lived tokens would otherwise accumulate. Returns how many were
 * removed.
 */
export const pruneTokens = (
  { tokens, clock }: Pick<Ports, 'tokens' | 'clock'>,
  signal?: AbortSignal,
): Promise<number> => pruneInBatches((limit) => tokens.prune(clock.now() - EXPIRED_TOKEN_LIFE, limit), signal);
