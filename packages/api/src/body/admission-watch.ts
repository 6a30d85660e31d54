import { requireScope } from '@postshelf/application';
import { type Problem, Refusal, type Scope } from '@postshelf/domain';
import { type RequestContext, requireWithin } from '../context.ts';
import { identify } from '../identify.ts';

/** Milliseconds between two looks at the token of a body that streams. */
export const LOOK_INTERVAL = 1_000;

/** What a look says of the token itself. Where the database can't be asked just now, the next look may. */
const FINAL: readonly Problem['code'][] = ['unauthenticated', 'missing_scope', 'too_many_requests'];

/**
 * Looks every second, while the body of an admitted request streams, whether its token would still be admitted: a body
 * may take hours, and a token be revoked, expire or use up its rate limit meanwhile. Stop it, whatever happens.
 */
export class AdmissionWatch {
  readonly #refused = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(
    private readonly context: RequestContext,
    private readonly scope: Scope,
  ) {
    this.#timer = setInterval(() => void this.#lookInPassing(), LOOK_INTERVAL);
  }

  /** Aborted with the refusal as its reason once the token isn't admitted any more: ends the body. */
  get signal(): AbortSignal {
    return this.#refused.signal;
  }

  /**
   * To be called before anything is kept that the token has asked for.
   *
   * @throws Refusal `unauthenticated`, `missing_scope`, `too_many_requests`
   */
  async look(): Promise<void> {
    this.signal.throwIfAborted();
    await lookAgain(this.context, this.scope);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #lookInPassing(): Promise<void> {
    try {
      await lookAgain(this.context, this.scope);
    } catch (error) {
      if (error instanceof Refusal && FINAL.includes(error.problem.code)) this.#refused.abort(error);
      else if (!(error instanceof Refusal)) this.context.fault(error);
    }
  }
}

/**
 * Whether a token that was admitted still would be. Not counted as an operation: a slow upload is one, however long.
 *
 * @throws Refusal as `admit`
 */
export async function lookAgain(context: RequestContext, scope: Scope | null): Promise<void> {
  const token = await identify(context);
  const looking = context.service.limits.rateOf(token.id);
  if (looking) requireWithin(context, await looking);
  if (scope !== null) requireScope(token, scope);
}
