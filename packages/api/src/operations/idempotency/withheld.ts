import type { Answer } from '@postshelf/application';
import type { Service } from '../../service.ts';

/** Keeps a secret in an operation's answer from being stored for repeats. */
export interface Withheld<Output> {
  /** Returns the answer without the secret. */
  strip(answer: Output): unknown;
  /** Returns a stored answer with an equivalent secret. */
  restore(service: Service, stripped: unknown): Promise<Output>;
}

/** Like {@link Withheld}, for answers in their stored form. */
export interface WithheldAnswer {
  strip(answer: Answer): Answer;
  restore(stripped: Answer): Promise<Answer>;
}

/** Returns how an operation's answers are stored without their secret; undefined if they contain none. */
export const withheldBy = (
  { withheld }: { readonly withheld?: Withheld<unknown> },
  service: Service,
): WithheldAnswer | undefined =>
  withheld && {
    strip: ({ body, ...answer }) => ({ ...answer, body: JSON.stringify(withheld.strip(JSON.parse(body))) }),
    restore: async ({ body, ...answer }) => ({
      ...answer,
      body: JSON.stringify(await withheld.restore(service, JSON.parse(body))),
    }),
  };
