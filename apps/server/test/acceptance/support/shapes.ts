import { expect } from 'bun:test';
import { arrayAt, at, keysOf, type Reply, stringAt } from './reply.ts';

/** A media item with all its fields. */
export interface MediaItem {
  readonly id: string;
  readonly name: string;
  readonly full_name: string;
  readonly label: string | null;
  readonly link: string;
  readonly status: string;
  readonly error_message: string | null;
  readonly size: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly time: number | null;
  readonly thumbnail: MediaItem | null;
  readonly folder_id: string | null;
}

/** "Ids are UUIDv7". */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const mediaKeys = [
  'error_message',
  'folder_id',
  'full_name',
  'height',
  'id',
  'label',
  'link',
  'name',
  'size',
  'status',
  'thumbnail',
  'time',
  'width',
];

function assertMediaItem(value: unknown): asserts value is MediaItem {
  expect(keysOf(value)).toEqual(mediaKeys);
  expect(stringAt(value, 'id')).toMatch(uuid);
  expect(stringAt(value, 'link')).toMatch(/^https?:\/\/[\x21-\x7e]+$/);
  expect(stringAt(value, 'status')).toMatch(/^(active|processing|failed|temporary)$/);
  for (const key of ['name', 'full_name']) expect(at(value, key)).toBeString();
  for (const key of ['label', 'error_message', 'folder_id']) {
    const field = at(value, key);
    expect(field === null || typeof field === 'string').toBe(true);
  }
  for (const key of ['size', 'width', 'height', 'time']) {
    const field = at(value, key);
    expect(field === null || Number.isInteger(field)).toBe(true);
  }
}

/** Checks that "all fields are always present", and that there are no other fields. Checks the item's cover as well. */
export function mediaItem(value: unknown): MediaItem {
  assertMediaItem(value);
  if (value.thumbnail !== null) {
    const cover = mediaItem(value.thumbnail);
    expect(cover.thumbnail).toBeNull();
  }
  return value;
}

/** The items in an answer whose `data` is an array. */
export function mediaItems(reply: Reply): MediaItem[] {
  return arrayAt(reply.json, 'data').map(mediaItem);
}

/** The item in an answer whose `data` is one item. */
export function oneMediaItem(reply: Reply): MediaItem {
  return mediaItem(at(reply.json, 'data'));
}

/** The ids on a page of any list, in the order of the page. */
export function idsOf(reply: Reply): string[] {
  return arrayAt(reply.json, 'data').map((entry) => String(at(entry, 'id')));
}
