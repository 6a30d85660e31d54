import { parseJson } from './answer.ts';
import { PostshelfError } from './error.ts';
import type { ChangeEvent, EventOf } from './events/event.ts';

/** The event that a webhook delivers. Its `id` is the `webhook-id`, which identifies repeated deliveries. */
export type WebhookEvent = ChangeEvent | EventOf<'webhook.test', { readonly id: string }>;

/**
 * A request as `fetch` handlers receive it, or its headers (those of `node:http` work as well) and its unparsed body.
 */
export type WebhookRequest =
  | Request
  | {
      readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
      readonly body: string | Uint8Array;
    };

/** Maximum difference in seconds between the time of sending and this machine's clock. */
const TOLERANCE = 5 * 60;

/** Minimum length of a secret in bytes. With an empty secret, such as an unset variable, anyone could sign. */
const MIN_SECRET = 24;

/**
 * Verifies a request's signature as the Standard Webhooks specification requires, and returns the event that the
 * service sent.
 *
 * @param secret the webhook's secret (`whsec_…`), or both secrets during a rotation
 * @throws PostshelfError `unverified`
 */
export async function verifyWebhook(
  request: WebhookRequest,
  secret: string | readonly string[],
): Promise<WebhookEvent> {
  const header = headerOf(request);
  const [id, timestamp, signatures] = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')];
  if (!id || !timestamp || !signatures) throw unverified('The request has no signature.');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE)
    throw unverified(
      'The request was sent more than five minutes ago, or the clock of the sender or the receiver is wrong.',
    );
  const body = await bodyOf(request);
  const start = utf8(`${id}.${timestamp}.`);
  const signed = new Uint8Array(start.length + body.length);
  signed.set(start);
  signed.set(body, start.length);
  const keys = await Promise.all((typeof secret === 'string' ? [secret] : secret).map(importSecret));
  if (!(await isSigned(signed, signatures, keys)))
    throw unverified('The signature does not match this request and secret.');
  const event = parseJson(new TextDecoder().decode(body));
  if (typeof event !== 'object' || event === null) throw unverified('The request contains no event.');
  return { ...event, id } as WebhookEvent;
}

async function isSigned(signed: Uint8Array<ArrayBuffer>, signatures: string, keys: readonly CryptoKey[]) {
  for (const [, text = ''] of signatures.matchAll(/(?<=^| )v1,(\S+)/g)) {
    const signature = fromBase64(text);
    // Compares in constant time.
    for (const key of keys) if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true;
  }
  return false;
}

/** Imports a secret's key. @throws PostshelfError `unverified` */
async function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length < MIN_SECRET) throw unverified('The secret is not a webhook secret.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function headerOf({ headers }: WebhookRequest): (name: string) => string | null {
  if (headers instanceof Headers) return (name) => headers.get(name);
  // Some servers keep the sender's upper and lower case.
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = values.get(name);
    return typeof value === 'string' ? value : null;
  };
}

async function bodyOf(request: WebhookRequest): Promise<Uint8Array> {
  if (request instanceof Request) return new Uint8Array(await request.arrayBuffer());
  return typeof request.body === 'string' ? utf8(request.body) : request.body;
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

const unverified = (message: string): PostshelfError => new PostshelfError('unverified', message);
