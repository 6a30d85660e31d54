import {
  type ActiveMedia,
  ATTACHMENT_REFUSALS,
  CHECK_TIMEOUT,
  CHECKED_LINK_LIFE,
  type FetchedLink,
  fetchingFor,
  invalid,
  isUsable,
  judgeFetched,
  type LinkVerdict,
  linkOf,
  type MediaItem,
  notFound,
} from '@postshelf/domain';
import type { Ports, Shared } from '../ports.ts';
import { signingLinks } from './links.ts';

export interface CheckedLink extends LinkVerdict {
  readonly target: string;
  readonly fetched: FetchedLink;
}

type FetchPorts = Pick<Ports, 'linkFetcher' | 'workspaces' | 'linkSigner' | 'clock'>;

/**
 * Checks an item's link. A check fetches the link from this server, and link checks have their own slots. If the server
 * is slow to respond, only other link checks of the workspace have to wait.
 *
 * @param mediaBase the prefix of links
 * @throws Refusal `invalid` on `media_content` unless the item is `active`; `busy`
 */
export async function checkLinkOf(
  ports: FetchPorts & Pick<Shared, 'shares'>,
  mediaBase: string,
  item: MediaItem,
  targets: readonly string[],
  signal: AbortSignal,
): Promise<readonly CheckedLink[]> {
  if (!isUsable(item)) throw invalid('media_content', ATTACHMENT_REFUSALS[item.status]);
  const release = await ports.shares.take('checks', item.workspaceId, signal);
  try {
    const ending = AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT)]);
    return await fetchLinkOf(ports, mediaBase, item, targets, ending);
  } finally {
    release();
  }
}

/**
 * Fetches an item's own link as the networks' crawlers do, and judges the result for each target.
 *
 * @throws Refusal `not_found` if its workspace is being deleted
 */
export async function fetchLinkOf(
  ports: FetchPorts,
  mediaBase: string,
  { workspaceId, fullName, content }: ActiveMedia,
  targets: readonly string[],
  signal: AbortSignal,
): Promise<readonly CheckedLink[]> {
  const workspace = await ports.workspaces.find(workspaceId);
  if (!workspace) throw notFound();
  const plain = linkOf(mediaBase, fullName);
  const link =
    workspace.links === 'signed'
      ? signingLinks(ports, workspace, CHECKED_LINK_LIFE).sign(plain, `files/${fullName}`)
      : plain;
  const crawlers = [...new Set(targets.map((target) => fetchingFor(target).crawler))];
  const found = await ports.linkFetcher.fetch(link, crawlers, signal);
  return targets.flatMap((target) => {
    const fetched = found[crawlers.indexOf(fetchingFor(target).crawler)];
    return fetched ? { target, fetched, ...judgeFetched(target, content, fetched) } : [];
  });
}
