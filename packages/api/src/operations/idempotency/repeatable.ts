import { type Answer, answerOnce, type Completing } from '@postshelf/application';
import { type IdempotencyCompletion, readIdempotencyKey } from '@postshelf/domain';
import type { Caller } from '../../admit.ts';
import type { Exchange } from '../../exchange.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { WithheldAnswer } from './withheld.ts';

export type Complete = (answer: Answer) => IdempotencyCompletion;

/**
 * Builds the argument with which a use case stores the answer in its transaction. `show` turns the result into the
 * answer.
 */
export type Completes = <Result>(show: (result: Result) => unknown) => Completing<Result>;

export const completesNothing: Completes = () => undefined;

/** Returns the key of a request; null if it has none. @throws Refusal `invalid` on `idempotency_key` */
export const keyOf = ({ headers }: Request): string | null => readIdempotencyKey(headers.get('idempotency-key'));

export interface Keyed {
  readonly key: string;
  readonly fingerprint: Fingerprint;
  /** Reads the rest of the body, for the fingerprint. Default: the body has been read completely. */
  readonly readRest?: () => Promise<void>;
}

/**
 * Does the work, or returns the stored answer to a repeat (docs/api.md, "Safe retries").
 *
 * @param withheld removes a secret from the answer before it is stored, and adds one to a stored answer
 * @throws Refusal as {@link answerOnce}; `busy` if no memory is left for the stored answer
 */
export async function answerKeyed(
  { service, reply }: Pick<Exchange, 'service' | 'reply'>,
  caller: Caller,
  { key, fingerprint, readRest = async () => undefined }: Keyed,
  work: (complete: Complete) => Promise<Answer>,
  withheld?: WithheldAnswer,
): Promise<Answer> {
  const { strip } = withheld ?? {};
  const request = { caller, key, readRest, fingerprint: () => fingerprint.value(), strip };
  const { answer, isReplayed } = await answerOnce(service.ports, request, work);
  reply.replayed(isReplayed);
  if (!isReplayed) return answer;
  reply.hold(Buffer.byteLength(answer.body));
  return withheld ? withheld.restore(answer) : answer;
}

/** Returns the method, path and query as received, without the host. */
export function requestLineOf({ method, url }: Request): readonly string[] {
  const { pathname, search } = new URL(url);
  return [method, pathname + search];
}

export const responseOf = ({ status, body }: Answer, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(body, { status, headers: { 'Content-Type': 'application/json;charset=utf-8', ...headers } });
