import { requireScope } from '@postshelf/application';
import { type Problem, Refusal, type Scope } from '@postshelf/domain';
import { type RequestContext, requireWithin } from '../context.ts';
import { identify } from '../identify.ts';

/** Milliseconds between two checks of the token while a body streams. */
export const ADMISSION_INTERVAL = 1_000;

/**
 * Refusals that end the body. After any other, for example while the database is unreachable, the next check decides.
 */
const FINAL: readonly Problem['code'][] = ['unauthenticated', 'missing_scope', 'too_many_requests'];

/**
 * Checks every second, while the body of an admitted request streams, whether its token would still be admitted: a body
 * may take hours, and the token may be revoked, expire or use up its rate limit meanwhile. Always call {@link stop}.
 */
export class AdmissionWatch {
  readonly #refused = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(
    private readonly context: RequestContext,
    private readonly scope: Scope,
  ) {
    this.#timer = setInterval(() => void this.#checkInBackground(), ADMISSION_INTERVAL);
  }

  /** Aborted, with the refusal as its reason, once the token isn't admitted any more: ends the body. */
  get signal(): AbortSignal {
    return this.#refused.signal;
  }

  /**
   * Checks now; called before anything of the request is stored.
   *
   * @throws Refusal `unauthenticated`, `missing_scope`, `too_many_requests`
   */
  async check(): Promise<void> {
    this.signal.throwIfAborted();
    await checkAdmission(this.context, this.scope);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #checkInBackground(): Promise<void> {
    try {
      await checkAdmission(this.context, this.scope);
    } catch (error) {
      if (error instanceof Refusal && FINAL.includes(error.problem.code)) this.#refused.abort(error);
      else if (!(error instanceof Refusal)) this.context.fault(error);
    }
  }
}

/**
 * Checks whether a token that was admitted still would be. It doesn't count as an operation: a slow upload is one
 * operation, however long it takes.
 *
 * @throws Refusal as `admit`
 */
export async function checkAdmission(context: RequestContext, scope: Scope | null): Promise<void> {
  const token = await identify(context);
  const rate = context.service.limits.rateOf(token.id);
  if (rate) requireWithin(context, await rate);
  if (scope !== null) requireScope(token, scope);
}
