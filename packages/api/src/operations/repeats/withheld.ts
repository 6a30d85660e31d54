import type { Answer } from '@postshelf/application';
import type { Service } from '../../service.ts';

/** A secret in an operation's answer, which isn't stored for repeats. */
export interface Withheld<Output> {
  /** Returns the answer without the secret. */
  strip(answer: Output): unknown;
  /** Returns a stored answer with an equivalent secret. */
  restore(service: Service, stripped: unknown): Promise<Output>;
}

/** The same for an answer in its stored form. */
export interface WithheldAnswer {
  strip(answer: Answer): Answer;
  restore(stripped: Answer): Promise<Answer>;
}

/** Returns what an operation withholds; undefined if its answers are stored whole. */
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
