import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Provider from 'oidc-provider';

/** The user that the provider reports. */
export interface Account {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: unknown;
}

export const CLIENT = { OIDC_CLIENT_ID: 'postshelf', OIDC_CLIENT_SECRET: 'a secret: of + the client' };

/** The lifetime of everything that the provider issues, in seconds. */
const TTL = 600;

/** A real OpenID provider that signs in {@link account} without asking for anything. */
export class Issuer {
  /** The user who signs in. If it is null, the user denies the sign-in. */
  account: Account | null = null;
  readonly url: string;
  /** The requested paths. */
  readonly asked: string[] = [];
  /** If this promise is set, requests for tokens wait for it. */
  beforeTokens: Promise<void> | null = null;
  readonly #provider: Provider;
  readonly #server = createServer((request, response) => this.#answer(request, response));

  constructor(
    private readonly port: number,
    callback: string,
  ) {
    this.url = `http://127.0.0.1:${port}`;
    this.#provider = new Provider(this.url, {
      clients: [
        {
          client_id: CLIENT.OIDC_CLIENT_ID,
          client_secret: CLIENT.OIDC_CLIENT_SECRET,
          redirect_uris: [callback],
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      features: { devInteractions: { enabled: false }, claimsParameter: { enabled: true } },
      ttl: { Interaction: TTL, Grant: TTL, Session: TTL, AccessToken: TTL, IdToken: TTL },
      pkce: { required: () => true },
      cookies: { keys: ['of the test'] },
      interactions: { url: (_, { uid }) => `/login/${uid}` },
      findAccount: (_, accountId) => {
        const claims = { ...this.account, sub: accountId };
        return { accountId, claims: () => claims };
      },
      async loadExistingGrant({ oidc }) {
        const { client, session, provider } = oidc;
        if (!client || !session?.accountId) return undefined;
        const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope('openid email');
        grant.addOIDCClaims(['email', 'email_verified']);
        await grant.save();
        return grant;
      },
    });
  }

  open(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(this.port, '127.0.0.1', resolve));
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { url = '/' } = request;
    this.asked.push(url.split('?', 1)[0] ?? '');
    const callback = this.#provider.callback();
    if (url === '/token') return void Promise.resolve(this.beforeTokens).then(() => callback(request, response));
    if (!url.startsWith('/login/')) return void callback(request, response);
    const result = this.account ? { login: { accountId: this.account.sub } } : { error: 'access_denied' };
    void this.#provider.interactionFinished(request, response, result);
  }

  /** Follows the redirects through the provider's pages, as a new browser would. @returns the URL of the callback */
  async visit(address: string): Promise<URL> {
    const jar = new Map<string, string>();
    let at = new URL(address);
    for (let steps = 0; at.origin === this.url; steps += 1) {
      const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(at, { redirect: 'manual', headers: { cookie } });
      const location = response.headers.get('location');
      if (location === null || steps > 5) throw new Error(`${at} answers ${response.status}: ${await response.text()}`);
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        jar.set(name, value);
      }
      at = new URL(location, at);
    }
    return at;
  }
}
