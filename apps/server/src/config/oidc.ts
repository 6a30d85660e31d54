import * as v from 'valibot';
import type { HttpConfig } from './http.ts';
import { ConfigError, flag, httpUrl, type Read, text } from './setting-kinds.ts';

export interface OidcConfig {
  /** null if people can sign in only with sign-in links. */
  readonly oidc: ProviderConfig | null;
}

/** An OpenID provider, and this service's credentials there. */
export interface ProviderConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The text after "Sign in with" on the sign-in button. */
  readonly name: string;
  /** Whether people are known by their addresses even if the provider doesn't say that it has verified them. */
  readonly trustsEmail: boolean;
}

/** Whether a URL uses https, or is on this machine, so that no third party can read its traffic. */
const isConfidential = (url: string): boolean => {
  const { protocol, hostname } = URL.parse(url) ?? {};
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(`${hostname}`);
};

export const oidcSettings = {
  OIDC_ISSUER: v.optional(
    v.pipe(httpUrl, v.check(isConfidential, 'must begin with https, unless it is on this machine')),
  ),
  OIDC_CLIENT_ID: v.optional(v.string()),
  OIDC_CLIENT_SECRET: v.optional(v.string()),
  OIDC_NAME: v.optional(text('must have at most 50 visible characters', (name) => /^\P{C}{1,50}$/u.test(name))),
  OIDC_TRUST_EMAIL: flag('false'),
};

const NEEDED = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;

/**
 * Reads the provider.
 *
 * @throws ConfigError if settings are missing, or if browsers wouldn't store the cookie of a sign-in
 */
export function readOidc(
  read: Read<typeof oidcSettings>,
  { host, publicUrl, ownOrigin }: Pick<HttpConfig, 'host' | 'publicUrl' | 'ownOrigin'>,
): OidcConfig {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = read;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    const given = NEEDED.find((name) => read[name] !== undefined);
    if (given === undefined) return { oidc: null };
    throw new ConfigError(
      `${NEEDED.find((name) => read[name] === undefined)}: is missing; it is required with ${given}`,
    );
  }
  // If PUBLIC_URL isn't set, a service that listens on all addresses doesn't know which host name browsers use.
  const isAnywhere = ownOrigin === null && (host === '0.0.0.0' || host === '::');
  if (isAnywhere || !isConfidential(publicUrl))
    throw new ConfigError(
      'PUBLIC_URL: must be set to an https address, or to one on localhost, for people to sign in with OIDC_ISSUER',
    );
  const name = read.OIDC_NAME ?? new URL(issuer).host;
  return { oidc: { issuer, clientId, clientSecret, name, trustsEmail: read.OIDC_TRUST_EMAIL } };
}
