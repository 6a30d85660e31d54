import {
  type AccessToken,
  invalid,
  Refusal,
  type Scope,
  TOKEN_ISSUER,
  TOKEN_LIFETIME,
  type Uuid,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';

export interface TokenRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly workspaceIds: readonly Uuid[];
  /** Milliseconds, one second to {@link TOKEN_LIFETIME}.max. */
  readonly lifetime: number;
}

/**
 * Issues a personal access token, whose text is returned once and stored nowhere.
 *
 * @throws Refusal `invalid` on `workspace` or `expires_in`
 */
export async function issueToken(
  ports: Pick<Ports, 'tokens' | 'workspaces' | 'signer' | 'clock' | 'ids'>,
  request: TokenRequest,
): Promise<{ readonly text: string; readonly token: AccessToken }> {
  const { lifetime, name, scopes } = request;
  if (!(lifetime >= 1000 && lifetime <= TOKEN_LIFETIME.max)) {
    throw invalid('expires_in', 'The expires_in field must be between 1 second and 365 days.');
  }
  const workspaceIds = [...new Set(request.workspaceIds)];
  for (const id of workspaceIds) {
    if (!(await ports.workspaces.find(id))) {
      throw new Refusal({ code: 'invalid', errors: { workspace: [`There is no workspace ${id}.`] } });
    }
  }
  // `exp` is in whole seconds, and the row the same.
  const issuedAt = Math.floor(ports.clock.now() / 1000);
  const expiresAt = issuedAt + Math.floor(lifetime / 1000);
  const id = ports.ids.next();
  const token: AccessToken = {
    id,
    name,
    scopes,
    workspaceIds,
    createdAt: issuedAt * 1000,
    expiresAt: expiresAt * 1000,
    revokedAt: null,
    lastUsedAt: null,
  };
  const text = await ports.signer.sign({ iss: TOKEN_ISSUER, sub: id, jti: id, exp: expiresAt });
  await ports.tokens.insert(token);
  return { text, token };
}
