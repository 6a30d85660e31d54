import type { TokenClaims } from './token.ts';

/** Signs and verifies personal access tokens: JWTs (RFC 7519), HS256 and nothing else (docs/api.md, "Tokens"). */
export interface TokenSigner {
  sign(claims: TokenClaims): Promise<string>;
  /**
   * The claims of a token that we signed and that has not expired; null for any other text: another algorithm,
   * `alg: none`, another key, a changed byte, a missing claim. Says nothing of revocation.
   */
  verify(token: string): Promise<TokenClaims | null>;
}
