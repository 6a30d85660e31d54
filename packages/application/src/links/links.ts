import {
  type LinkedPath,
  type LinkSignature,
  linkRefused,
  type MediaWithCover,
  notFound,
  type PreviewFacts,
  parseUuid,
  previewSubject,
  secondsLeft,
  signedQuery,
  type Uuid,
  type Workspace,
  workspaceOfPath,
} from '@postshelf/domain';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports } from '../ports.ts';

export interface AdmittedLink {
  /** Seconds for which the link is still valid; null if it doesn't expire. */
  readonly secondsLeft: number | null;
}

/**
 * Decides whether a request may use a link. Only the link's workspace is looked up, not its item, so that a request
 * without a valid signature is refused in the same way whether or not the item exists. Returns null if the workspace
 * doesn't exist.
 *
 * @throws Refusal `forbidden`
 */
export async function admitLink(
  { workspaces, linkSigner, clock }: Pick<Ports, 'workspaces' | 'linkSigner' | 'clock'>,
  path: LinkedPath,
  signature: LinkSignature,
): Promise<AdmittedLink | null> {
  const id = workspaceOfPath(path);
  const workspace = id && (await workspaces.find(id));
  if (!workspace) return null;
  if (workspace.links === 'public') return { secondsLeft: null };
  const left = secondsLeft(linkSigner, { key: workspace.linkKey, path }, signature, clock.now());
  if (left === null) throw linkRefused();
  return { secondsLeft: left };
}

export interface SigningLinks {
  /** The time at which the links expire, in seconds since 1970. */
  readonly expires: number;
  /** Returns a link with its signature. */
  sign(link: string, path: LinkedPath): string;
}

/** Returns the time at which links expire, and a function that signs them. @param expiresIn seconds */
export function signingLinks(
  { linkSigner, clock }: Pick<Ports, 'linkSigner' | 'clock'>,
  { linkKey: key }: Workspace,
  expiresIn: number,
): SigningLinks {
  const expires = Math.floor(clock.now() / 1000) + expiresIn;
  return { expires, sign: (link, path) => link + signedQuery(expires, linkSigner.sign({ key, path, expires })) };
}

export interface SignablePage {
  readonly items: readonly MediaWithCover[];
  /** Properties of the previews, by the id of the image (`previewSubject`). */
  readonly previews: ReadonlyMap<Uuid, PreviewFacts>;
}

/**
 * Finds at most 100 items, in the order of the ids. Ids that aren't (or are no longer) items of the workspace are
 * skipped.
 */
export async function findSignable(
  ports: Pick<Ports, 'media' | 'previews'>,
  workspace: Workspace,
  ids: readonly string[],
): Promise<SignablePage> {
  const found = await Promise.all(ids.map(parseUuid).map((id) => id && ports.media.find(id)));
  const items = found.flatMap((media) => (media?.item.workspaceId === workspace.id ? media : []));
  const subjects = items.flatMap((media) => previewSubject(media)?.id ?? []);
  return { items, previews: await ports.previews.factsOf(subjects) };
}

/** Ends all signed links of a workspace, including those signed with an earlier key. @throws Refusal `not_found` */
export async function rotateLinkKey(
  ports: Pick<Ports, 'workspaces' | 'ids'>,
  { id }: Pick<Workspace, 'id'>,
  complete?: Completing<null>,
): Promise<void> {
  if (!(await ports.workspaces.rotateLinkKey(id, ports.ids.next(), complete?.(null)))) throw notFound();
}
