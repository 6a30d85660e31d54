import type { Answer } from '@postshelf/application';
import type { Service } from '../../service.ts';

/** A secret in an operation's answer, which isn't stored for repeats. */
export interface Withheld<Output> {
  /** The answer without it. */
  strip(answer: Output): unknown;
  /** A stored answer with a secret that is as good. */
  restore(service: Service, stripped: unknown): Promise<Output>;
}

/** What of an operation's answer is stored, and how it is told again. */
export const stored = ({ withheld }: { readonly withheld?: Withheld<unknown> }, service: Service) => ({
  strip: (shown: unknown): unknown => (withheld ? withheld.strip(shown) : shown),
  restore: async (answer: Answer): Promise<Answer> =>
    withheld ? { ...answer, body: JSON.stringify(await withheld.restore(service, JSON.parse(answer.body))) } : answer,
});
