import { isIP } from 'node:net';
import { type Attempt, type DeliveryError, RemoteError, type SendRequest, type WebhookSender } from '@postshelf/domain';
import { AddressGuard } from '../imports/address-guard.ts';
import { Lifetime } from '../imports/download-lifetime.ts';
import { isSecurityFailure, noAnswer, notPublic } from '../imports/failures.ts';
import { parseNetworkWithPort } from '../imports/ip-networks.ts';
import { parseUrl, portOf, type RemoteUrl } from '../imports/remote-url.ts';
import { type Address, type Resolve, resolveBySystem } from '../imports/resolve.ts';
import type { HttpResponse } from '../imports/response.ts';

export interface WebhookSenderOptions {
  /**
   * Networks that may be reached although they aren't public, in the form that {@link parseNetworkWithPort} reads.
   * Default none.
   */
  readonly allowedNetworks?: readonly string[];
  /** Default: the operating system's resolver. */
  readonly resolve?: Resolve;
  /** Maximum milliseconds for a whole attempt. Default 15 s. */
  readonly timeout?: number;
  /** Certificate authorities in PEM format, which are trusted instead of the runtime's. */
  readonly ca?: string;
}

/**
 * Limits for reading an answer's body, which is discarded. A receiver can finish its answer, but can't keep the
 * connection open by sending endlessly.
 */
const DISCARDED = { bytes: 64 * 1024, milliseconds: 1000 } as const;

/** Loads the platform's HTTP client and the library that signs webhooks. The first delivery waits for this. */
const loadClient = () => Promise.all([import('../imports/http-request.ts'), import('standardwebhooks')]);

/**
 * Sends webhooks over HTTP to public hosts (docs/api.md, "Webhooks"). Connects only to addresses that were checked.
 *
 * @throws Error that names the first invalid allowed network
 */
export function createWebhookSender(options: WebhookSenderOptions = {}): WebhookSender {
  const { timeout = 15_000, ca } = options;
  const allowed = (options.allowedNetworks ?? []).map(parseNetworkWithPort);
  const guard = new AddressGuard(allowed, options.resolve ?? resolveBySystem);

  const post = async (remote: RemoteUrl, request: SendRequest, lifetime: Lifetime): Promise<Attempt> => {
    let addresses: readonly Address[];
    try {
      addresses = await lifetime.waitFor(guard.resolveAllowed(remote));
    } catch (error) {
      if (error instanceof RemoteError && !lifetime.signal.aborted) return failed(errorOfLookUp(error));
      throw error;
    }
    const [{ sendRequest }, { Webhook }] = await loadClient();
    const date = new Date(request.at);
    const signatures = request.secrets.map((secret) => new Webhook(secret).sign(request.id, date, request.payload));
    const body = Buffer.from(request.payload);
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
      'webhook-id': request.id,
      'webhook-timestamp': String(Math.floor(request.at / 1000)),
      'webhook-signature': signatures.join(' '),
    };
    const { signal } = lifetime;
    const response = await lifetime.waitFor(
      sendRequest(remote, { method: 'POST', headers, body, addresses, signal, ca }),
    );
    await discardBody(response, lifetime);
    return judge(response, request.at);
  };

  return {
    async send(request) {
      const lifetime = new Lifetime(request.signal);
      let late: Error | null = null;
      try {
        const remote = parseUrl(request.url);
        lifetime.endAfter(timeout, () => {
          late = noAnswer(remote.name);
          return late;
        });
        return await post(remote, request, lifetime);
      } catch (error) {
        if (request.signal.aborted) throw error;
        if (error === late) return failed('timeout');
        if (error instanceof RemoteError) return failed(errorOf(error));
        throw error;
      } finally {
        lifetime.end();
      }
    },

    refuse(url) {
      try {
        const remote = parseUrl(url);
        const addresses = addressesInName(remote);
        if (addresses === null || addresses.some((address) => guard.mayReach(address, portOf(remote)))) return null;
        return notPublic(remote.name).message;
      } catch (error) {
        if (error instanceof RemoteError) return error.message;
        throw error;
      }
    },
  };
}

/**
 * Returns the addresses of a host that are known without a DNS lookup: an IP address, or a name for this machine (RFC
 * 6761 section 6.3).
 */
function addressesInName({ host }: RemoteUrl): readonly string[] | null {
  if (isIP(host) !== 0) return [host];
  return host === 'localhost' || host.endsWith('.localhost') ? ['127.0.0.1', '::1'] : null;
}

/** Discards the body. Stops before its end if the body is long, slow or breaks off. */
async function discardBody({ body }: HttpResponse, lifetime: Lifetime): Promise<void> {
  const stop = lifetime.endAfter(DISCARDED.milliseconds, () => new Error('The body is too slow.'));
  try {
    for (let bytes = 0; bytes <= DISCARDED.bytes; ) {
      const { done, value } = await lifetime.waitFor(body.next());
      if (done) return;
      bytes += value.length;
    }
  } catch {
    // Errors don't matter here, because the status has arrived.
  } finally {
    stop();
  }
}

const failed = (error: DeliveryError): Attempt => ({ ok: false, status: null, error });

/** @param at when the request was made, in milliseconds */
function judge({ status, headers }: HttpResponse, at: number): Attempt {
  if (status >= 200 && status <= 299) return { ok: true, status };
  if (status >= 300 && status <= 399) return { ok: false, status, error: 'redirect' };
  const retryAfter = BUSY.has(status) ? millisecondsOf(headers['retry-after'], at) : null;
  return { ok: false, status, error: 'status', ...(retryAfter !== null && { retryAfter }) };
}

/** Statuses of a receiver that may say when to come back. */
const BUSY = new Set([429, 503]);

/** Reads `Retry-After`, which has seconds or a date (RFC 9110 section 10.2.3); null if it has neither. */
function millisecondsOf(retryAfter: string | undefined, at: number): number | null {
  if (retryAfter === undefined) return null;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const date = /^[A-Z][a-z]{2}, /.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - at);
}

const errorOfLookUp = ({ problem }: RemoteError): DeliveryError =>
  problem.kind === 'refused' ? 'not_public' : 'not_found';

function errorOf(error: RemoteError): DeliveryError {
  // The webhook was saved while the service still allowed its URL, which `refuse` would now reject.
  if (error.problem.kind === 'refused') return 'not_public';
  return isSecurityFailure(error) ? 'tls' : 'unreachable';
}
