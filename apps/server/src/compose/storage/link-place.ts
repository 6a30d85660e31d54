import type { LinkPlace } from '@postshelf/domain';
import { canBePublic } from '@postshelf/media';

/** Describes the addresses of links. @param redirects whether the service redirects every request for a link */
export function linkPlace(mediaBase: string, redirects: boolean): LinkPlace {
  const { protocol, hostname } = new URL(mediaBase);
  return { scheme: protocol.slice(0, -1), isPublic: canBePublic(hostname), redirects };
}
