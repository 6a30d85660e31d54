import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { limitBody } from '../client/limit-answers.ts';

/** Thrown if rules contain elements that the SDK ignores, so that writing would remove them. */
export class UnknownRules extends Error {
  override readonly name = 'UnknownRules';

  constructor(readonly elements: readonly string[]) {
    super(`Rewriting the rules would lose these elements: ${elements.join(', ')}.`);
  }
}

/**
 * Makes a client write configurations of a bucket safely. Some stores have proprietary elements (MinIO's
 * `DelMarkerExpiration`), which the SDK drops when it reads a configuration. If a request lacks an element that the
 * store has returned before, `send` throws {@link UnknownRules} instead of sending it.
 *
 * Requests that write a configuration get a `Content-MD5` header, which all stores accept and some require.
 *
 * @param time maximum milliseconds until the body of a configuration has arrived: it is read here, before the client's
 *   own limit for bodies takes effect
 */
export function writeSafely(client: S3Client, time: number): void {
  const current = new Map<string, ReadonlySet<string>>();
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const which = configurationOf(args.request);
      if (which) current.set(which, elementsOf(await peek(result.response, time)));
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'postshelfReadElements' },
  );
  client.middlewareStack.add(
    (next) => async (args) => {
      const { request } = args;
      const which = configurationOf(request);
      if (which && isWriting(request)) {
        const written = elementsOf(request.body);
        const lost = [...(current.get(which) ?? [])].filter((name) => !written.has(name));
        if (lost.length > 0) throw new UnknownRules(lost);
        useContentMd5(request);
      }
      return next(args);
    },
    { step: 'build', priority: 'low', name: 'postshelfWriteElements' },
  );
}

/** Returns the kind of configuration that the request is about, from the name in its query. */
function configurationOf(request: unknown): 'cors' | 'lifecycle' | null {
  if (typeof request !== 'object' || request === null || !('query' in request)) return null;
  const { query } = request;
  if (typeof query !== 'object' || query === null) return null;
  if ('cors' in query) return 'cors';
  return 'lifecycle' in query ? 'lifecycle' : null;
}

interface Writing {
  readonly body: string;
  readonly headers: Record<string, string>;
}

function isWriting(request: unknown): request is Writing {
  if (typeof request !== 'object' || request === null || !('body' in request) || !('headers' in request)) return false;
  return typeof request.body === 'string' && typeof request.headers === 'object';
}

function useContentMd5({ body, headers }: Writing): void {
  for (const name of Object.keys(headers)) if (/^x-amz-(?:sdk-)?checksum-/i.test(name)) delete headers[name];
  headers['Content-MD5'] = createHash('md5').update(body).digest('base64');
}

/** Reads the text of a response and restores its body; returns an empty text for a failed request. */
async function peek(response: unknown, time: number): Promise<string> {
  if (typeof response !== 'object' || response === null || !('body' in response)) return '';
  if (!('statusCode' in response) || response.statusCode !== 200 || !(response.body instanceof Readable)) return '';
  limitBody(response.body, time);
  const text = Buffer.concat(await Array.fromAsync(response.body)).toString('utf8');
  response.body = Readable.from([Buffer.from(text)]);
  return text;
}

/** Returns the names of all elements; these configurations contain no comments and no CDATA. */
const elementsOf = (xml: string): ReadonlySet<string> =>
  new Set(Array.from(xml.matchAll(/<([A-Za-z][\w.-]*)/g), ([, name = '']) => name));
