import type { LinkPlace } from '@postshelf/domain';
import { canBePublic } from '@postshelf/media';

/** Returns the place to which links point. @param redirects whether the place redirects all clients */
export function linkPlace(mediaBase: string, redirects: boolean): LinkPlace {
  const { protocol, hostname } = new URL(mediaBase);
  return { scheme: protocol.slice(0, -1), isPublic: canBePublic(hostname), redirects };
}
