import { Refusal } from '@postshelf/domain';

const WRONG_HOST = 'The Host header is not valid.';

/**
 * Its size is limited by the runtime (docs/decisions/25-bun.md).
 *
 * @throws Refusal `malformed` for an invalid Host header, or several of them (RFC 9112 section 3.2)
 */
export function requireHead({ url, headers }: Request): void {
  // With an invalid Host the URL can't be parsed; several are joined, while the URL has the first.
  if (URL.canParse(url) && !/[\s,]/.test(headers.get('host') ?? '')) return;
  throw new Refusal({ code: 'malformed', message: WRONG_HOST });
}
