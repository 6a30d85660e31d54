import {
  ATTACHMENT_REFUSALS,
  type AttachmentRefusal,
  type FieldErrors,
  MAX_MEDIA_PER_POST,
  type Post,
  type PostConflict,
  parseUuid,
  refuseAttachment,
  selectedInvalid,
  type Uuid,
} from '@postshelf/domain';
import { findEach } from '../find-each.ts';
import type { Ports } from '../ports.ts';

export interface PostReferences {
  readonly profile?: unknown;
  readonly external_id?: unknown;
  readonly media_content_ids?: unknown;
}

/**
 * Returns the errors in the references of a new post, so that a response can name all failing fields. Malformed fields
 * are skipped, because the schema check reports them.
 */
export async function postErrors(
  ports: Pick<Ports, 'profiles' | 'posts' | 'media'>,
  workspaceId: Uuid,
  { profile, external_id, media_content_ids }: PostReferences,
): Promise<FieldErrors> {
  const profileId = parseUuid(profile);
  const ofProfile = await profileErrors(ports, workspaceId, profile);
  const isTaken =
    profileId !== null &&
    Object.keys(ofProfile).length === 0 &&
    typeof external_id === 'string' &&
    (await ports.posts.findExternal(profileId, external_id)) !== null;
  return {
    ...ofProfile,
    ...(isTaken && conflictErrors({ conflict: 'external_id_taken' })),
    ...(await mediaErrors(ports, workspaceId, media_content_ids)),
  };
}

/** Returns the errors in the references of a changed post; media that the post already has may stay. */
export async function editErrors(
  ports: Pick<Ports, 'posts' | 'media'>,
  { id, workspaceId, profileId, mediaIds }: Post,
  { external_id, media_content_ids }: PostReferences,
): Promise<FieldErrors> {
  const other = typeof external_id === 'string' ? await ports.posts.findExternal(profileId, external_id) : null;
  return {
    ...(other !== null && other.id !== id && conflictErrors({ conflict: 'external_id_taken' })),
    ...(await mediaErrors(ports, workspaceId, media_content_ids, mediaIds)),
  };
}

/** Returns the error if a profile doesn't belong to the workspace. A malformed id is left to the schema check. */
export async function profileErrors(
  ports: Pick<Ports, 'profiles'>,
  workspaceId: Uuid,
  profile: unknown,
): Promise<FieldErrors> {
  const id = parseUuid(profile);
  if (!id || (await ports.profiles.find(id))?.workspaceId === workspaceId) return {};
  return { profile: [selectedInvalid('profile')] };
}

export async function filterErrors(
  ports: Pick<Ports, 'profiles' | 'media'>,
  workspaceId: Uuid,
  { profile, media_content_id }: { readonly profile?: unknown; readonly media_content_id?: unknown },
): Promise<FieldErrors> {
  const ofProfile = await profileErrors(ports, workspaceId, profile);
  const id = parseUuid(media_content_id);
  if (!id || (await ports.media.find(id))?.item.workspaceId === workspaceId) return ofProfile;
  return { ...ofProfile, media_content_id: [selectedInvalid('media_content_id')] };
}

export function conflictErrors(conflict: PostConflict): FieldErrors {
  if (conflict.conflict === 'external_id_taken') {
    return { external_id: ['The external id has already been taken.'] };
  }
  const refusals = [...conflict.refusals].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    refusals.map(([index, refusal]) => [`media_content_ids.${index}`, [ATTACHMENT_REFUSALS[refusal]]]),
  );
}

async function mediaErrors(
  ports: Pick<Ports, 'media'>,
  workspaceId: Uuid,
  given: unknown,
  shown: readonly Uuid[] = [],
): Promise<FieldErrors> {
  if (!Array.isArray(given)) return {};
  const found = await findEach(given.slice(0, MAX_MEDIA_PER_POST).map(parseUuid), async (id) => {
    if (id === null || shown.includes(id)) return null;
    return refuseAttachment((await ports.media.find(id))?.item, workspaceId);
  });
  const refusals = new Map<number, AttachmentRefusal>();
  for (const [index, refusal] of found.entries()) if (refusal) refusals.set(index, refusal);
  return conflictErrors({ conflict: 'media', refusals });
}
