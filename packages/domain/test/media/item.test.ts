import { describe, expect, expectTypeOf, test } from 'bun:test';
import {
  activate,
  beginImport,
  beginPresigned,
  fail,
  isCover,
  isUsable,
  type MediaContent,
  type MediaItem,
  type MediaStatus,
  type NewMedia,
  type ProcessingMedia,
  storeCover,
  storeFile,
  type TemporaryMedia,
} from '../../src/index.ts';
import { uuid } from '../support/arbitraries.ts';

const BORN = Date.UTC(2026, 0, 1);
const LATER = BORN + 60_000;

const details: NewMedia = {
  id: uuid('01890a5d-ac96-774b-bcce-b302099a8057'),
  workspaceId: uuid('01890a5d-ac96-774b-bcce-b302099a8058'),
  folderId: uuid('01890a5d-ac96-774b-bcce-b302099a8059'),
  name: 'clip',
  fullName: 'pending/clip',
  label: 'Summer',
};

const image: MediaContent = {
  type: 'image/jpeg',
  size: 3,
  sha256: 'ab'.repeat(32),
  width: 4,
  height: 5,
  time: null,
  details: null,
};
const video: MediaContent = { ...image, type: 'video/mp4', time: 7 };
const stored = { name: 'clip.mp4', fullName: 'w/i/clip.mp4', content: video };

const active = storeFile(details, image, BORN);
const processing = beginImport(details, BORN);
const temporary = beginPresigned(details, BORN);
const failed = fail(processing, 'The download timed out.', LATER);
const cover = storeCover(details, image, active.id, BORN);

describe('a new item', () => {
  test.each<[string, MediaStatus, MediaItem]>([
    ['stored from a request', 'active', active],
    ['imported from a URL', 'processing', processing],
    ['created for a presigned upload', 'temporary', temporary],
  ])('%s is %s, keeps its details and is created now', (_how, status, item) => {
    expect(item).toMatchObject({ ...details, status, createdAt: BORN, updatedAt: BORN });
  });

  test('stored from a request has the content of that request and is not a cover', () => {
    expect(active.content).toEqual(image);
    expect(active.coverOf).toBeNull();
  });

  test('stored as a cover refers to its video and is in no folder', () => {
    expect(cover).toEqual({
      ...details,
      altText: null,
      focus: null,
      version: 1,
      fittedFrom: null,
      createdBy: null,
      folderId: null,
      status: 'active',
      content: image,
      coverOf: active.id,
      createdAt: BORN,
      updatedAt: BORN,
    });
  });
});

describe.each<[string, ProcessingMedia | TemporaryMedia]>([
  ['an import', processing],
  ['a presigned upload', temporary],
])('%s', (_what, item) => {
  test('becomes active with its final name, path and content, and keeps the rest', () => {
    expect(activate(item, stored, LATER)).toEqual({
      ...details,
      ...stored,
      altText: null,
      focus: null,
      version: 2,
      fittedFrom: null,
      createdBy: null,
      status: 'active',
      coverOf: null,
      createdAt: BORN,
      updatedAt: LATER,
    });
  });

  test('becomes failed with a reason and keeps the rest', () => {
    expect(fail(item, 'The file is damaged.', LATER)).toEqual({
      ...details,
      altText: null,
      focus: null,
      version: 2,
      fittedFrom: null,
      createdBy: null,
      status: 'failed',
      errorMessage: 'The file is damaged.',
      createdAt: BORN,
      updatedAt: LATER,
    });
  });

  test('is not mutated', () => {
    const before = structuredClone(item);
    activate(item, stored, LATER);
    fail(item, 'The file is damaged.', LATER);
    expect(item).toEqual(before);
  });
});

describe('isUsable', () => {
  test.each<[MediaStatus, MediaItem, boolean]>([
    ['active', active, true],
    ['processing', processing, false],
    ['temporary', temporary, false],
    ['failed', failed, false],
  ])('is true for active items only: %s', (_status, item, usable) => {
    expect(isUsable(item)).toBe(usable);
  });
});

test('isCover is true for covers only', () => {
  expect(isCover(cover)).toBe(true);
  for (const item of [active, processing, temporary, failed]) expect(isCover(item)).toBe(false);
});

describe('the type checker', () => {
  test('refuses to move an item out of a final state', () => {
    const refused = (item: MediaItem): MediaItem[] => [
      // @ts-expect-error active is final
      activate(active, stored, LATER),
      // @ts-expect-error active is final
      fail(active, 'no', LATER),
      // @ts-expect-error failed is final
      activate(failed, stored, LATER),
      // @ts-expect-error failed is final
      fail(failed, 'no', LATER),
      // @ts-expect-error a cover is active from the start
      activate(cover, stored, LATER),
      // @ts-expect-error an item whose state isn't known may be in a final state
      activate(item, stored, LATER),
      // @ts-expect-error an item whose state isn't known may be in a final state
      fail(item, 'no', LATER),
    ];
    expectTypeOf(refused).returns.toEqualTypeOf<MediaItem[]>();
  });
});
