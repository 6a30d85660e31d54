import {
  ATTACHMENT_REFUSALS,
  type Candidate,
  checkReadiness,
  invalid,
  isUsable,
  type LinkPlace,
  linkFacts,
  type MediaItem,
  type Post,
  parseUuid,
  type Readiness,
  type ReadinessTerms,
  Refusal,
  type Target,
  targetsOfNetwork,
  type Uuid,
} from '@postshelf/domain';
import { turns } from '../fair-share/event-loop.ts';
import type { Ports } from '../ports.ts';

const MAX_TOGETHER = 100;

/** What a request asks for besides the files. */
export interface ReadinessRequest extends Omit<ReadinessTerms, 'link'> {
  readonly targets: readonly Target[];
  /** Where links lead, if they are to be judged, too. */
  readonly links: LinkPlace | null;
}

type LinkPorts = Pick<Ports, 'workspaces' | 'clock'>;

/**
 * Whether an item by itself is ready for each target.
 *
 * @throws Refusal `invalid` on `media_content` unless it is `active`
 */
export async function readinessOfItem(
  ports: LinkPorts,
  item: MediaItem,
  request: ReadinessRequest,
): Promise<readonly Readiness[]> {
  const candidate = candidateOf(item);
  if (typeof candidate === 'string') throw invalid('media_content', candidate);
  return readinessOn(request.targets, [candidate], await termsOf(ports, item.workspaceId, request));
}

/**
 * Whether a set of items as one post is ready for each target.
 *
 * @throws Refusal `invalid` on `media_content_ids.N` for one that isn't `active` or not in the workspace
 */
export async function readinessOfSet(
  ports: LinkPorts & Pick<Ports, 'media'>,
  workspaceId: Uuid,
  ids: readonly Uuid[],
  request: ReadinessRequest,
): Promise<readonly Readiness[]> {
  const { candidates, errors } = await findCandidates(ports, workspaceId, ids);
  if (Object.keys(errors).length > 0) throw new Refusal({ code: 'invalid', errors });
  return readinessOn(request.targets, candidates, await termsOf(ports, workspaceId, request));
}

async function termsOf(
  { workspaces, clock }: LinkPorts,
  workspaceId: Uuid,
  { links, targets: _, ...terms }: ReadinessRequest,
): Promise<ReadinessTerms> {
  if (links === null) return terms;
  const isSigned = (await workspaces.find(workspaceId))?.links === 'signed';
  return { ...terms, link: linkFacts(links, isSigned, clock.now()) };
}

/** Errors in the media of a set, by field. Malformed ids are left to the schema. */
export async function candidateErrors(
  ports: Pick<Ports, 'media'>,
  workspaceId: Uuid,
  given: unknown,
): Promise<Readonly<Record<string, readonly string[]>>> {
  if (!Array.isArray(given)) return {};
  return (await findCandidates(ports, workspaceId, given.slice(0, MAX_TOGETHER).map(parseUuid))).errors;
}

/** Whether a post's media are ready for its profile's network; null without rules for it. */
export async function readinessOfPost(
  ports: Pick<Ports, 'media' | 'profiles'>,
  { workspaceId, profileId, mediaIds }: Pick<Post, 'workspaceId' | 'profileId' | 'mediaIds'>,
): Promise<readonly Readiness[] | null> {
  const targets = targetsOfNetwork((await ports.profiles.find(profileId))?.network ?? '');
  if (targets.length === 0) return null;
  const { candidates } = await findCandidates(ports, workspaceId, mediaIds);
  return readinessOn(targets, candidates);
}

async function findCandidates(ports: Pick<Ports, 'media'>, workspaceId: Uuid, ids: readonly (Uuid | null)[]) {
  const candidates: Candidate[] = [];
  const errors: Record<string, readonly string[]> = {};
  for (const [index, id] of ids.entries()) {
    if (id === null) continue;
    const item = (await ports.media.find(id))?.item;
    const candidate = item?.workspaceId === workspaceId ? candidateOf(item) : ATTACHMENT_REFUSALS.unknown;
    if (typeof candidate === 'string') errors[`media_content_ids.${index}`] = [candidate];
    else candidates.push(candidate);
  }
  return { candidates, errors };
}

function candidateOf(item: MediaItem): Candidate | string {
  if (!isUsable(item)) return ATTACHMENT_REFUSALS[item.status];
  const { type, size, width, height, time, details } = item.content;
  return { id: item.id, type, size, width, height, time, details };
}

/** A hundred items on a target with many rules take some milliseconds. */
async function readinessOn(
  targets: readonly Target[],
  candidates: readonly Candidate[],
  terms?: ReadinessTerms,
): Promise<readonly Readiness[]> {
  const all: Readiness[] = [];
  for (const target of targets) {
    all.push(checkReadiness(target, candidates, terms));
    await turns.next();
  }
  return all;
}
