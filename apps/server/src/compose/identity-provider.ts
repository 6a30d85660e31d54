import { createHmac, randomBytes } from 'node:crypto';
import {
  type Clock,
  type IdentityProvider,
  isEmail,
  type ProvenIdentity,
  SIGN_IN_FLOW_LIFETIME,
} from '@postshelf/domain';
import { LRUCache } from 'lru-cache';
import type { AuthorizationCodeGrantChecks, Configuration } from 'openid-client';
import type { ProviderConfig } from '../config/config.ts';
import { deriveKey } from './sealing.ts';

const RANDOM_BYTES = 24;

/** Maximum seconds that the provider may take for an answer. */
const TIMEOUT = 10;

/** Maximum bytes of an answer; usual answers have a few thousand. */
const MAX_ANSWER = 1024 * 1024;

/**
 * Milliseconds until the provider's endpoints are discovered again: after a success, and after a failure. Because of
 * the pause after a failure, clients can't make the service flood the provider.
 */
const DISCOVERY_LIFETIME = 60 * 60_000;
const DISCOVERY_PAUSE = 1_000;

/** Maximum number of used flows that are remembered. Each takes a few hundred bytes. */
const MAX_USED = 10_000;

/**
 * Implements OpenID Connect Core 1.0 with the authorization code flow and PKCE (RFC 7636). The secret that the browser
 * keeps consists of a time and random bits; state, nonce and verifier are computed from it with a key that is derived
 * by HKDF (RFC 5869) from the secret that signs tokens. So the server stores nothing, the browser can't predict any of
 * the three, and the state proves that the server issued the browser's secret and its time. Used flows are remembered,
 * so that each flow sends only one code to the provider.
 */
export function createIdentityProvider(config: ProviderConfig, secret: string, clock: Clock): IdentityProvider {
  const key = deriveKey(secret, 'postshelf sign-in: flows');
  const checksOf = (flow: string) => {
    const made = (what: string) => createHmac('sha256', key).update(`${what} ${flow}`).digest('base64url');
    return { expectedState: made('state'), expectedNonce: made('nonce'), pkceCodeVerifier: made('verifier') };
  };
  let known: { readonly discovered: Promise<Configuration>; until: number } | null = null;
  let last: Configuration | null = null;
  const used = new LRUCache<string, true>({ max: MAX_USED });

  /** Discovers the provider's endpoints. While discovery fails, the last result is used. */
  function discover(): Promise<Configuration> {
    if (known && clock.elapsed() < known.until) return known.discovered;
    const asked = discovery(config);
    const before = last;
    const current = {
      discovered: before ? asked.catch(() => before) : asked,
      until: clock.elapsed() + DISCOVERY_LIFETIME,
    };
    asked.then(
      (found) => {
        last = found;
      },
      () => {
        current.until = clock.elapsed() + DISCOVERY_PAUSE;
      },
    );
    known = current;
    return current.discovered;
  }

  return {
    name: config.name,

    async begin(callback) {
      const client = await import('openid-client');
      const configuration = await discover().catch(withoutSecrets);
      const flow = `${clock.now() + SIGN_IN_FLOW_LIFETIME}.${randomBytes(RANDOM_BYTES).toString('base64url')}`;
      const { expectedState, expectedNonce, pkceCodeVerifier } = checksOf(flow);
      const address = client.buildAuthorizationUrl(configuration, {
        redirect_uri: callback,
        scope: 'openid email',
        state: expectedState,
        nonce: expectedNonce,
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      });
      return { address: address.href, flow };
    },

    async finish(callback, query, flow) {
      if (flow === null || !(clock.now() < Number(flow.split('.', 1)[0]))) return 'expired';
      const checks = checksOf(flow);
      if (query.get('state') !== checks.expectedState || used.has(flow)) return 'expired';
      used.set(flow, true);
      if (query.get('error') === 'access_denied') return 'denied';
      return discover()
        .then((configuration) => prove(configuration, new URL(`${callback}?${query}`), checks, config.trustsEmail))
        .catch(withoutSecrets);
    },
  };
}

async function discovery({ issuer, clientId, clientSecret }: ProviderConfig): Promise<Configuration> {
  const client = await import('openid-client');
  return client.discovery(
    new URL(issuer),
    clientId,
    undefined,
    (server, ...rest) => {
      // `client_secret_basic` is the default method (OpenID Connect Discovery 1.0 section 3).
      const isBasic = server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true;
      return (isBasic ? client.ClientSecretBasic : client.ClientSecretPost)(clientSecret)(server, ...rest);
    },
    {
      timeout: TIMEOUT,
      [client.customFetch]: fetchBounded,
      // Makes the library also verify the signatures of ID tokens. Insecure requests are allowed for issuers with http,
      // which the settings accept only on this machine.
      execute: [client.enableNonRepudiationChecks, ...(/^http:/i.test(issuer) ? [client.allowInsecureRequests] : [])],
    },
  );
}

/**
 * Returns the identity that the provider confirms for the browser's user.
 *
 * @param trustsEmail whether an address counts even if the provider doesn't say that it has verified it
 * @throws Error that may contain secrets
 */
async function prove(
  configuration: Configuration,
  returned: URL,
  checks: AuthorizationCodeGrantChecks,
  trustsEmail: boolean,
): Promise<ProvenIdentity> {
  const client = await import('openid-client');
  const tokens = await client.authorizationCodeGrant(configuration, returned, checks);
  const claims = tokens.claims();
  // A subject has at most 255 ASCII characters (OpenID Connect Core 1.0 section 2).
  if (!claims || !/^[\x20-\x7e]{1,255}$/.test(claims.sub)) throw new Error('the ID token has no subject');
  // Some providers put `email` and `email_verified` into the ID token; others return one or both only from the user
  // info endpoint (OpenID Connect Core 1.0 section 5.4).
  const isComplete = claims.email !== undefined && (trustsEmail || claims.email_verified !== undefined);
  const isElsewhere = !isComplete && configuration.serverMetadata().userinfo_endpoint !== undefined;
  const userClaims = isElsewhere ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims;
  const { email, email_verified: isVerified }: Readonly<Record<string, unknown>> = userClaims;
  // Some providers send `email_verified` as a string.
  const isGood = trustsEmail || isVerified === true || isVerified === 'true';
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: isGood && typeof email === 'string' && isEmail(email) ? email : null,
  };
}

/** Fetches like `fetch`, but limits the length of the answer. */
async function fetchBounded(url: string, init: object): Promise<Response> {
  const response = await fetch(url, init);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > MAX_ANSWER) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status: response.status, headers: response.headers });
}

/**
 * Rethrows an error without secrets. Errors of the OpenID library contain requests and answers with codes and tokens.
 * Only the errors' messages, which contain no secrets, and the error codes of RFC 6749 section 5.2 are kept.
 */
function withoutSecrets(error: unknown): never {
  const { message, cause, error: word } = error as Error & { readonly error?: unknown };
  const isWord = typeof word === 'string' && /^[a-z_]{1,40}$/.test(word);
  const why = cause instanceof Error ? [message, cause.message] : [message, ...(isWord ? [word] : [])];
  throw new Error(`The OpenID provider: ${why.join(': ')}`);
}
