import { requireScope } from '@postshelf/application';
import { type Problem, Refusal, type Scope } from '@postshelf/domain';
import { type RequestContext, requireWithin } from '../context.ts';
import { identify } from '../identify.ts';

/** Milliseconds between two checks of the token while a body streams. */
export const ADMISSION_INTERVAL = 1_000;

/** Refusals that end the body. Any other, as of a database that can't be asked just now, waits for the next check. */
const FINAL: readonly Problem['code'][] = ['unauthenticated', 'missing_scope', 'too_many_requests'];

/**
 * Checks every second, while the body of an admitted request streams, whether its token would still be admitted: a body may
 * take hours, and the token may be revoked, expire or use up its rate limit meanwhile. Call {@link stop} in any case.
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
   * Checks now; to be called before anything of the request is stored.
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
 * Checks whether a token that was admitted still would be. Isn't counted as an operation: a slow upload is one, however long.
 *
 * @throws Refusal as `admit`
 */
export async function checkAdmission(context: RequestContext, scope: Scope | null): Promise<void> {
  const token = await identify(context);
  const rate = context.service.limits.rateOf(token.id);
  if (rate) requireWithin(context, await rate);
  if (scope !== null) requireScope(token, scope);
}
