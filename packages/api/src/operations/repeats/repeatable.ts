import { type Answer, answerOnce, type Completing } from '@postshelf/application';
import { type AccessToken, type RepeatCompletion, readIdempotencyKey } from '@postshelf/domain';
import type { RequestContext } from '../../context.ts';
import type { Fingerprint } from './fingerprint.ts';

/** Keeps the answer of a request with a key in the transaction of its work. */
export type Complete = (answer: Answer) => RepeatCompletion;

/** As part of an operation's call: has what `show` makes of a result kept together with it. */
export type Completes = <Result>(show: (result: Result) => unknown) => Completing<Result>;

/** Of a request without a key. */
export const completesNothing: Completes = () => undefined;

/** The key of a request; null where it has none. @throws Refusal `invalid` on `idempotency_key` */
export const keyOf = ({ headers }: Request): string | null => readIdempotencyKey(headers.get('idempotency-key'));

/** A request with a key, as far as it is known before its body. */
export interface Keyed {
  readonly key: string;
  readonly fingerprint: Fingerprint;
  /** Reads for the fingerprint what of the body nobody has read, and keeps none of it. Default: all was read. */
  readonly readRest?: () => Promise<void>;
}

/** Answers a request with a key: does the work, or tells what it came to when it was done (docs/api.md, "Repeats"). */
export async function answerKeyed(
  context: RequestContext,
  token: AccessToken,
  { key, fingerprint, readRest = async () => undefined }: Keyed,
  work: (complete: Complete) => Promise<Answer>,
): Promise<Answer> {
  const request = { tokenId: token.id, key, readRest, fingerprint: () => fingerprint.value() };
  const { answer, isReplayed } = await answerOnce(context.service.ports, request, work);
  context.answered(isReplayed);
  return answer;
}

/** What is asked of REST: path and query as they came, without the host. */
export function targetOf({ method, url }: Request): readonly string[] {
  const { pathname, search } = new URL(url);
  return [method, pathname + search];
}

/** @throws Refusal `busy` */
export function responseOf(context: RequestContext, { status, body }: Answer): Response {
  context.holdAnswer(body.length);
  return new Response(body, { status, headers: { 'Content-Type': 'application/json;charset=utf-8' } });
}
