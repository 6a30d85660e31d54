import { plural } from '@postshelf/browser/ui/format-number.ts';
import type { MediaItem } from '@postshelf/client';
import {
  type Candidate,
  checkReadiness,
  isMediaType,
  kindOf,
  TARGETS,
  type Target,
  takesKind,
} from '@postshelf/domain/readiness';
import { targetName } from './target-name.ts';

// This module imports all rules, so `use-verdicts.ts` loads it only when it is needed.

/** `other_kind`: the target publishes only videos and the item is an image, or vice versa. */
export type State = 'ready' | 'warning' | 'not_ready' | 'other_kind';

export interface TargetVerdict {
  readonly target: string;
  readonly state: State;
  /**
   * The target and its verdict: "Instagram feed: ready", "TikTok: not ready, 2 problems", "YouTube Short: video only".
   */
  readonly name: string;
  /** The short form without the target: "2 problems". */
  readonly words: string;
  readonly errors: number;
  /** The problems with their remedies, errors first. */
  readonly sentences: readonly string[];
}

export interface NetworkVerdict {
  readonly network: string;
  readonly targets: readonly TargetVerdict[];
  /**
   * The verdict that represents the network where there is room for only one. It belongs to the first target that
   * publishes items of this kind, or if there is none, to the last target.
   */
  readonly main: TargetVerdict;
}

const NETWORKS: readonly string[] = [...new Set(TARGETS.map(({ target }) => networkOfTarget(target)))];

/**
 * Judges an item for each network by the same rules as the service.
 *
 * @param networks networks by their names in targets; null for all
 * @returns the verdicts in the order of the rules; empty if the item isn't `active`, or its properties haven't been
 *   read
 */
export function judgeItem(item: MediaItem, networks: ReadonlySet<string> | null): readonly NetworkVerdict[] {
  const candidate = candidateOf(item);
  if (candidate === null) return [];
  return NETWORKS.filter((network) => networks?.has(network) ?? true).flatMap((network): NetworkVerdict[] => {
    const targets = TARGETS.filter(({ target }) => networkOfTarget(target) === network).map((target) =>
      judge(target, candidate),
    );
    const main = targets.find(({ state }) => state !== 'other_kind') ?? targets.at(-1);
    return main ? [{ network, targets, main }] : [];
  });
}

/** Returns "Video only" or "Image only" if a target doesn't publish items of this kind; null if it does. */
export function onlyOtherKind(name: string, { details }: MediaItem): string | null {
  const target = TARGETS.find((one) => one.target === name);
  const mime = details?.mime ?? '';
  return target && isMediaType(mime) ? otherKindOf(target, mime) : null;
}

function otherKindOf(target: Target, type: Candidate['type']): string | null {
  const kind = kindOf(type);
  if (takesKind(target, kind)) return null;
  return kind === 'image' ? 'Video only' : 'Image only';
}

function networkOfTarget(target: string): string {
  return target.split('.')[0] ?? '';
}

function judge(target: Target, candidate: Candidate): TargetVerdict {
  const other = otherKindOf(target, candidate.type);
  const { verdict, problems } = checkReadiness(target, [candidate]);
  const failed = problems.filter(({ severity }) => severity === 'error');
  const words = other ?? (failed.length > 0 ? plural(failed.length, 'problem') : WORDS[verdict]);
  const said = [...failed, ...problems.filter(({ severity }) => severity === 'warning')];
  return {
    target: target.target,
    state: other === null ? verdict : 'other_kind',
    name: `${targetName(target.target)}: ${failed.length > 0 && other === null ? `not ready, ${words}` : words.toLowerCase()}`,
    words,
    errors: failed.length,
    sentences: other === null ? said.map(({ message, remedy }) => `${message} ${remedy}`) : [],
  };
}

const WORDS = { ready: 'Ready', warning: 'Ready, with advice', not_ready: 'Not ready' } as const;

/** Returns the properties that rules check; null if they haven't been read. */
function candidateOf({ id, status, size, width, height, time, details }: MediaItem): Candidate | null {
  const type = details?.mime ?? '';
  if (status !== 'active' || size === null || width === null || height === null || !isMediaType(type)) return null;
  const facts = { id, type, size, width, height, time };
  const { image, video } = details ?? {};
  if (!image && !video) return { ...facts, details: null };
  return {
    ...facts,
    details: {
      image: image ? { frames: image.frames, hasAlpha: image.has_alpha } : null,
      video: video ? videoFacts(video) : null,
    },
  };
}

const videoFacts = (
  video: NonNullable<NonNullable<MediaItem['details']>['video']>,
): NonNullable<NonNullable<Candidate['details']>['video']> => ({
  codec: video.codec,
  durationMs: video.duration_ms,
  frameRate: video.frame_rate,
  bitrate: video.bitrate,
  chroma: video.chroma,
  // No rule uses the rotation, because width and height already take it into account.
  rotation: null,
  moovFirst: video.moov_first,
  editList: video.edit_list,
  hdr: video.hdr,
  audio: video.audio && {
    codec: video.audio.codec,
    sampleRate: video.audio.sample_rate,
    channels: video.audio.channels,
  },
});
