import type { MediaContent } from '../media/item.ts';
import { type Crawler, fetchingFor } from './crawlers.ts';

/**
 * Maximum number of bytes that all requests of one check read together. A network reads more, but the beginning of a
 * file already shows whether the network can read it.
 */
export const MAX_CHECKED_BYTES = 1_000_000;

/** Maximum duration of one check in milliseconds, all targets together. */
export const CHECK_TIMEOUT = 10_000;

/** Lifetime in seconds of a signed link that is made only for a check. */
export const CHECKED_LINK_LIFE = 60;

/** `none` means that there is no robots.txt, which allows everything; `unknown` that it couldn't be read. */
export type RobotsVerdict = 'allowed' | 'disallowed' | 'none' | 'unknown';

/** The result of fetching a link as a crawler does. */
export interface FetchedLink {
  /** The status of the last response; null if there was none. */
  readonly status: number | null;
  /** The URLs to which the request was redirected, without queries, because these may hold signatures. */
  readonly redirects: readonly string[];
  readonly contentType: string | null;
  /** Size of the whole file in bytes, as the response says. */
  readonly contentLength: number | null;
  /** Seconds until the requested part, or its first {@link MAX_CHECKED_BYTES} bytes, had arrived. */
  readonly seconds: number;
  readonly robots: RobotsVerdict;
  /**
   * Why there was no response (`unreachable`) or why a redirect wasn't followed (`refused`), as a sentence; null
   * otherwise. A link that is unreachable from this server may still be reachable from elsewhere.
   */
  readonly failure: { readonly kind: 'unreachable' | 'refused'; readonly message: string } | null;
}

/** Fetches the library's own links. */
export interface LinkFetcher {
  /**
   * Fetches a link as each of the crawlers does, one after the other, and reads no more than {@link MAX_CHECKED_BYTES}.
   * Only the library's own origins are reached; a redirect to any other origin isn't followed and counts as a failure.
   *
   * @param signal ends the check; everything that hasn't been fetched by then is a failure
   * @returns one result per crawler, in the same order
   */
  fetch(link: string, crawlers: readonly Crawler[], signal: AbortSignal): Promise<readonly FetchedLink[]>;
}

export interface LinkVerdict {
  readonly ok: boolean;
  /** The verdict as a sentence for the user. */
  readonly message: string;
}

/**
 * Judges from a fetched link whether a target's network can fetch the item. The link must have been fetched as the
 * network's crawler fetches it.
 */
export function judgeFetched(
  target: string,
  { type, size }: Pick<MediaContent, 'type' | 'size'>,
  fetched: FetchedLink,
): LinkVerdict {
  const { status, redirects, contentType, contentLength, robots, failure } = fetched;
  const no = (message: string): LinkVerdict => ({ ok: false, message });
  const { crawler, network } = fetchingFor(target);
  if (failure?.kind === 'unreachable') {
    return no(`${failure.message} This is only known from this server: ${network} may be able to reach it.`);
  }
  if (failure) return no(failure.message);
  if (status === null || status >= 400) return no(`The link returns status ${status}, so ${network} can’t fetch it.`);
  if (redirects.length > 0 && !crawler.followsRedirects) {
    return no(
      `The link redirects, and ${network} doesn’t follow redirects. Set S3_REDIRECT=browsers to send it the file itself.`,
    );
  }
  if (robots === 'disallowed') {
    return no(`The robots.txt of the link’s host disallows ${crawler.tokens[0]}, so ${network} won’t fetch it.`);
  }
  if (contentType !== type)
    return no(
      `The response has ${contentType === null ? 'no content type' : `the content type ${contentType}`}, but ${type} was expected.`,
    );
  if (contentLength !== null && contentLength !== size) {
    return no(`The response has ${contentLength} bytes, but ${size} were expected.`);
  }
  return { ok: true, message: [`${network} can fetch the file.`, ...hintsOf(target, fetched)].join(' ') };
}

/** Returns hints about why a network may fail to fetch the link although this check succeeded. */
function hintsOf(target: string, { contentLength, robots, seconds }: FetchedLink): readonly string[] {
  return [
    ...(contentLength === null ? ['The response doesn’t say how long the file is.'] : []),
    ...(robots === 'unknown'
      ? ['The robots.txt of the link’s host couldn’t be read, which some crawlers treat as a refusal.']
      : []),
    ...(seconds > SLOW ? [`Fetching took ${seconds.toFixed(1)} seconds, which is long for a crawler.`] : []),
    ...(target.startsWith('tiktok.')
      ? ['TikTok accepts links only from a domain, or a prefix, that its developer portal has verified.']
      : []),
  ];
}

/** Number of seconds beyond which a fetch gets a hint that it is slow. Meta's pages ask for "a few" seconds. */
const SLOW = 5;
