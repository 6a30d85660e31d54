import type { Uuid } from '../ids.ts';
import type { MediaContent, MediaItem } from '../media/item.ts';
import { isUsable } from '../media/item.ts';
import { kindOf } from '../media/types.ts';

/** A frame of the video, given by the second at which it is shown, or an image in the workspace. */
export type CoverChoice = { readonly at: number } | { readonly mediaContentId: Uuid };

/**
 * Returns the duration in seconds. If the file hasn't been inspected, only whole seconds are known, so half a second is
 * added.
 */
function secondsOf({ time, details }: Pick<MediaContent, 'time' | 'details'>): number {
  const duration = details?.video?.durationMs ?? null;
  return duration === null ? (time ?? 0) + 0.5 : duration / 1000;
}

/** Sentences by field; empty if nothing is wrong. */
export type CoverErrors = Readonly<Record<string, readonly string[]>>;

/**
 * Returns why an item can't have the chosen cover, by field.
 *
 * @param image the item that `media_content_id` refers to in the workspace; null if there is none
 */
export function refuseCoverChoice(item: MediaItem, choice: CoverChoice, image: MediaItem | null): CoverErrors {
  if (!isUsable(item)) return { cover: ['The media item isn’t active yet.'] };
  if (kindOf(item.content.type) !== 'video') return { cover: ['Only a video has a cover.'] };
  if ('at' in choice) {
    const seconds = secondsOf(item.content);
    return choice.at <= seconds ? {} : { 'cover.at': [`The video ends after ${Number(seconds.toFixed(2))} seconds.`] };
  }
  const isImage = image !== null && isUsable(image) && kindOf(image.content.type) === 'image' && image.coverOf === null;
  return isImage ? {} : { 'cover.media_content_id': ['It must be an active image of the workspace.'] };
}

export const COVER_FAILURES = {
  no_tool: 'This server has no ffmpeg, which is needed to use a frame of the video. Choose an image instead.',
  unreadable: 'No frame of the video could be read at that time. Choose another frame, or an image.',
  gone: 'The file of the image no longer exists.',
} as const;
