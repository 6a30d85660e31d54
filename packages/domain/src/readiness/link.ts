import { LINK_LIFE } from '../links/link.ts';
import { problemOf, type ReadinessProblem } from './problem.ts';
import { isLinkRule, type LinkRule, type Target } from './rule.ts';

/** The properties of a link that are known before it is fetched. */
export interface LinkFacts {
  readonly scheme: string;
  /** Whether the link's host can be on the public internet. */
  readonly isPublic: boolean;
  /** Whether networks' crawlers are redirected. */
  readonly redirects: boolean;
  /** The latest possible expiry of a signed link, in milliseconds since 1970; null for links that don't expire. */
  readonly expiresAt: number | null;
}

/** The properties of links that depend only on the operator's settings. */
export type LinkPlace = Omit<LinkFacts, 'expiresAt'>;

export const linkFacts = (place: LinkPlace, isSigned: boolean, now: number): LinkFacts => ({
  ...place,
  expiresAt: isSigned ? now + LINK_LIFE.max * 1000 : null,
});

/**
 * Returns the problems that a target has with a link. Whether a link that expires lasts long enough is only known if
 * the post's time is known.
 *
 * @param id the item; null if there are several
 * @param publishedAt milliseconds since 1970
 */
export function checkLink(
  target: Target,
  link: LinkFacts,
  id: string | null,
  publishedAt: number | null,
): ReadinessProblem[] {
  return target.rules.filter(isLinkRule).flatMap((rule) => judge(rule, link, id, publishedAt) ?? []);
}

function judge(
  rule: LinkRule,
  { scheme, isPublic, redirects, expiresAt }: LinkFacts,
  id: string | null,
  publishedAt: number | null,
): ReadinessProblem | null {
  switch (rule.measure) {
    case 'link.scheme':
      return rule.limit.includes(scheme) ? null : problemOf(rule, { id, actual: scheme });
    case 'link.public':
      return isPublic === rule.limit ? null : problemOf(rule, { id, actual: isPublic });
    case 'link.redirect':
      return redirects === rule.limit ? null : problemOf(rule, { id, actual: redirects });
    case 'link.expiry': {
      if (expiresAt === null || (publishedAt !== null && publishedAt < expiresAt)) return null;
      const actual = new Date(expiresAt).toISOString();
      if (publishedAt !== null)
        return { ...problemOf(rule, { id, actual }), limit: new Date(publishedAt).toISOString() };
      return problemOf(rule, {
        id,
        actual,
        severity: 'warning',
        reason: 'It isn’t known when this post will be published.',
      });
    }
  }
}
