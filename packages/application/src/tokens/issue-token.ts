import { type AccessToken, invalid, type Scope, TOKEN_ISSUER, TOKEN_LIFETIME, type Uuid } from '@postshelf/domain';
import { findEach } from '../find-each.ts';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports } from '../ports.ts';

export interface TokenRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly workspaceIds: readonly Uuid[];
  /** In milliseconds, from 1000 to {@link TOKEN_LIFETIME}.max. */
  readonly lifetime: number;
}

export interface IssuedToken {
  readonly text: string;
  readonly token: AccessToken;
}

/**
 * Issues a personal access token, whose text is returned once and not stored anywhere.
 *
 * @throws Refusal `invalid` on `workspaces.N` or `expires_in`
 */
export async function issueToken(
  ports: Pick<Ports, 'tokens' | 'workspaces' | 'signer' | 'clock' | 'ids'>,
  request: TokenRequest,
  complete?: Completing<IssuedToken>,
): Promise<IssuedToken> {
  const { lifetime } = request;
  if (!(lifetime >= 1000 && lifetime <= TOKEN_LIFETIME.max)) {
    throw invalid('expires_in', 'The expires_in field must be between 1 second and 365 days.');
  }
  const workspaces = await findEach(request.workspaceIds, (id) => ports.workspaces.find(id));
  const missing = workspaces.indexOf(null);
  if (missing >= 0) throw invalid(`workspaces.${missing}`, `There is no workspace ${request.workspaceIds[missing]}.`);
  const token = makeToken(ports, request);
  const issued = { token, text: await signToken(ports, token) };
  await ports.tokens.insert(token, complete?.(issued));
  return issued;
}

export function makeToken({ clock, ids }: Pick<Ports, 'clock' | 'ids'>, request: TokenRequest): AccessToken {
  // `exp` is in whole seconds, so the row's times are as well.
  const issuedAt = Math.floor(clock.now() / 1000);
  return {
    id: ids.next(),
    name: request.name,
    scopes: request.scopes,
    workspaceIds: [...new Set(request.workspaceIds)],
    createdAt: issuedAt * 1000,
    expiresAt: (issuedAt + Math.floor(request.lifetime / 1000)) * 1000,
    revokedAt: null,
    lastUsedAt: null,
  };
}

/** Signs a token. Each call may return a different text for the same token; all these texts are valid. */
export const signToken = (
  { signer }: Pick<Ports, 'signer'>,
  { id, expiresAt }: Pick<AccessToken, 'id' | 'expiresAt'>,
): Promise<string> => signer.sign({ iss: TOKEN_ISSUER, sub: id, jti: id, exp: Math.floor(expiresAt / 1000) });
