import type { Answer } from '@postshelf/application';
import type { Service } from '../../service.ts';

/** A secret in an operation's answer, which isn't stored for repeats. */
export interface Withheld<Output> {
  /** The answer without it. */
  strip(answer: Output): unknown;
  /** A stored answer with a secret that is as good. */
  restore(service: Service, stripped: unknown): Promise<Output>;
}

/** The same of an answer as it is stored. */
export interface WithheldAnswer {
  strip(answer: Answer): Answer;
  restore(stripped: Answer): Promise<Answer>;
}

/** What an operation withholds; undefined if its answers are stored whole. */
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
