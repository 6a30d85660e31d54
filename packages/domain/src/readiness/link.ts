import { LINK_LIFE } from '../links/link.ts';
import { problemOf, type ReadinessProblem } from './problem.ts';
import { isLinkRule, type LinkRule, type Target } from './rule.ts';

/** What is known of a link before anybody fetches it. */
export interface LinkFacts {
  readonly scheme: string;
  /** Whether its host can be on the public internet. */
  readonly isPublic: boolean;
  /** Whether those who fetch for networks are redirected. */
  readonly redirects: boolean;
  /** Milliseconds since 1970: the latest end that a signed link can have; null for links that stay good. */
  readonly expiresAt: number | null;
}

/** Where links lead, which the operator's settings decide. */
export type LinkPlace = Omit<LinkFacts, 'expiresAt'>;

export const linkFacts = (place: LinkPlace, isSigned: boolean, now: number): LinkFacts => ({
  ...place,
  expiresAt: isSigned ? now + LINK_LIFE.max * 1000 : null,
});

/**
 * The problems that a target has with a link. Of links that expire it isn't known whether they last long enough, unless
 * the post's time is.
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
      return problemOf(rule, { id, actual, severity: 'warning', reason: 'When this post is published isn’t known.' });
    }
  }
}
