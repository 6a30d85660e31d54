import {
  ATTACHMENT_REFUSALS,
  busiestDayWith,
  type Candidate,
  checkReadiness,
  countedWindow,
  type FieldErrors,
  invalid,
  isUsable,
  type LinkPlace,
  linkFacts,
  MAX_CHECKED_MEDIA,
  MAX_COUNTED_POSTS,
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
import { findEach } from '../find-each.ts';
import type { Ports } from '../ports.ts';
import { profileErrors } from '../posts/check-post.ts';

/** What a request says about the planned post, except for its files. */
export interface ReadinessRequest extends Omit<ReadinessTerms, 'link' | 'postsPerDay'> {
  readonly targets: readonly Target[];
  /** Where the service's links lead, if links are also judged; otherwise null. */
  readonly links: LinkPlace | null;
  /** The publishing profile, whose posts within 24 hours of `publishedAt` are counted; requires `publishedAt`. */
  readonly profileId?: Uuid | null;
}

type LinkPorts = Pick<Ports, 'workspaces' | 'clock'>;

/**
 * Judges whether a single item is ready for each target.
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
 * Judges for each target whether a set of items is ready to be published as one post.
 *
 * @throws Refusal `invalid` on `media_content_ids.N` for an item that isn't `active` or isn't in the workspace, or on
 *   `profile`
 */
export async function readinessOfSet(
  ports: LinkPorts & Pick<Ports, 'media' | 'profiles' | 'posts'>,
  workspaceId: Uuid,
  ids: readonly Uuid[],
  request: ReadinessRequest,
): Promise<readonly Readiness[]> {
  const { profileId = null, publishedAt = null } = request;
  const { candidates, errors } = await findCandidates(ports, workspaceId, ids);
  const ofProfile = profileId === null ? {} : await profileErrors(ports, workspaceId, profileId);
  const all = { ...ofProfile, ...errors };
  if (Object.keys(all).length > 0) throw new Refusal({ code: 'invalid', errors: all });
  const terms = await termsOf(ports, workspaceId, request);
  if (profileId === null || publishedAt === null) return readinessOn(request.targets, candidates, terms);
  return readinessOn(request.targets, candidates, { ...terms, day: await busiestDay(ports, profileId, publishedAt) });
}

/**
 * Returns the number of posts in the profile's busiest 24 hours around a post published at `at`, including that post.
 * Also returns the targets whose daily limits this number counts towards.
 */
async function busiestDay(
  { profiles, posts }: Pick<Ports, 'profiles' | 'posts'>,
  profileId: Uuid,
  at: number,
): Promise<BusiestDay> {
  const { from, to } = countedWindow(at);
  const times = await posts.publishedWithin(profileId, from, to, MAX_COUNTED_POSTS);
  const targets = targetsOfNetwork((await profiles.find(profileId))?.network ?? '');
  return { posts: busiestDayWith(times, at), targets };
}

interface BusiestDay {
  readonly posts: number;
  readonly targets: readonly Target[];
}

async function termsOf(
  { workspaces, clock }: LinkPorts,
  workspaceId: Uuid,
  { links, targets: _, profileId: __, ...terms }: ReadinessRequest,
): Promise<ReadinessTerms> {
  if (links === null) return terms;
  const isSigned = (await workspaces.find(workspaceId))?.links === 'signed';
  return { ...terms, link: linkFacts(links, isSigned, clock.now()) };
}

/** Returns the errors in the media and the profile of a set, by field. Malformed ids are left to the schema check. */
export async function setErrors(
  ports: Pick<Ports, 'media' | 'profiles'>,
  workspaceId: Uuid,
  { media_content_ids, profile }: { readonly media_content_ids?: unknown; readonly profile?: unknown },
): Promise<FieldErrors> {
  const ids = Array.isArray(media_content_ids) ? media_content_ids.slice(0, MAX_CHECKED_MEDIA).map(parseUuid) : [];
  return {
    ...(await profileErrors(ports, workspaceId, profile)),
    ...(await findCandidates(ports, workspaceId, ids)).errors,
  };
}

/** Judges whether a new post is ready for its profile's network; null if there are no rules for it. */
export async function readinessOfPost(
  ports: Pick<Ports, 'media' | 'profiles' | 'posts'>,
  {
    workspaceId,
    profileId,
    mediaIds,
    publishedAt,
  }: Pick<Post, 'workspaceId' | 'profileId' | 'mediaIds' | 'publishedAt'>,
): Promise<readonly Readiness[] | null> {
  const day = await busiestDay(ports, profileId, publishedAt);
  if (day.targets.length === 0) return null;
  const { candidates } = await findCandidates(ports, workspaceId, mediaIds);
  return readinessOn(day.targets, candidates, { day });
}

async function findCandidates(ports: Pick<Ports, 'media'>, workspaceId: Uuid, ids: readonly (Uuid | null)[]) {
  const candidates: Candidate[] = [];
  const errors: Record<string, readonly string[]> = {};
  const found = await findEach(ids, (id) => id && ports.media.find(id));
  for (const [index, media] of found.entries()) {
    if (ids[index] === null) continue;
    const item = media?.item;
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

/**
 * Judges items target by target, yielding to the event loop after each: a hundred items on a target with many rules
 * take a few milliseconds.
 */
async function readinessOn(
  targets: readonly Target[],
  candidates: readonly Candidate[],
  { day = null, ...terms }: ReadinessTerms & { readonly day?: BusiestDay | null },
): Promise<readonly Readiness[]> {
  const all: Readiness[] = [];
  for (const target of targets) {
    const postsPerDay = day?.targets.includes(target) ? day.posts : null;
    all.push(checkReadiness(target, candidates, { ...terms, postsPerDay }));
    await turns.next();
  }
  return all;
}
