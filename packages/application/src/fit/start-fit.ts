import {
  type ActiveMedia,
  type Actor,
  ATTACHMENT_REFUSALS,
  beginFit,
  FIT_FAILURES,
  type FitCrop,
  type FitMode,
  fullNameOf,
  invalid,
  isUsable,
  type MediaItem,
  type MediaType,
  type MediaWithCover,
  nameFromFileName,
  notFound,
  planFit,
  Refusal,
  type Target,
} from '@postshelf/domain';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports } from '../ports.ts';

export interface FitRequest {
  readonly createdBy?: Actor | null;
  readonly target: Target;
  readonly how: FitMode;
  /** The part of the original that is fitted; by default, the whole frame. */
  readonly crop?: FitCrop | undefined;
}

/** Seconds after which a caller may try again if its workspace has too many jobs. */
const RETRY_AFTER = 60;

/**
 * Creates a `processing` item, whose file will be a version of the original that fits a target. The original stays
 * unchanged.
 *
 * @throws Refusal `invalid` on `media_content` unless the original is `active`, on `target` if the original can't be
 *   made to fit; `busy`
 */
export async function startFit(
  ports: Pick<Ports, 'fitter' | 'processing' | 'clock' | 'ids'>,
  original: MediaItem,
  { target, how, crop, createdBy }: FitRequest,
  complete?: Completing<MediaWithCover>,
): Promise<MediaWithCover> {
  if (!isUsable(original)) throw invalid('media_content', ATTACHMENT_REFUSALS[original.status]);
  const plan = planFit(target, original.content, how, crop ?? null);
  if ('reason' in plan) throw invalid('target', plan.reason);
  if (!(await ports.fitter.isAvailable())) throw invalid('target', FIT_FAILURES.no_tool);
  const id = ports.ids.next();
  const name = nameFor(original, target, plan.attempts[0].type);
  const fullName = fullNameOf(original.workspaceId, id, name);
  const media = {
    item: beginFit({ id, name, fullName, createdBy }, original, ports.clock.now()),
    cover: null,
  };
  // The item's current focus is used, even if it is changed before a worker starts.
  const focus = how === 'crop' && !crop && original.focus;
  const payload = { target: target.target, how, ...(crop && { crop }), ...(focus && { focus }) };
  const job = { kind: 'fit', payload } as const;
  const start = { dueAt: ports.clock.now() };
  const kept = await ports.processing.begin(media.item, job, start, complete?.(media));
  if (kept === 'full') {
    throw new Refusal({
      code: 'busy',
      message: 'Too many conversions are waiting in this workspace.',
      retryAfter: RETRY_AFTER,
    });
  }
  // The folder was deleted. The original was in it, so it must have been deleted or moved as well.
  if (kept === 'folder_missing') throw notFound();
  return media;
}

/**
 * Returns the name of a fitted file: `beach.png` for Instagram becomes `beach-instagram-feed.jpg`, unless that is too
 * long.
 */
function nameFor({ name }: ActiveMedia, { target }: Target, type: MediaType): string {
  const stem = name.replace(/\.[^.]*$/, '');
  return nameFromFileName(`${stem}-${target.replaceAll(/[._]/g, '-')}.file`, type);
}
