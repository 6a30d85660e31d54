import { describe, expect, test } from 'bun:test';
import {
  ATTACHMENT_REFUSALS,
  activate,
  beginImport,
  beginPresigned,
  fail,
  type MediaContent,
  type MediaItem,
  refuseAttachment,
  storeCover,
  storeFile,
} from '../../src/index.ts';
import { uuid } from '../support/arbitraries.ts';

const [MINE, THEIRS, ITEM, VIDEO] = [1, 2, 3, 4].map((last) => uuid(`00000000-0000-7000-8000-00000000000${last}`));
if (!MINE || !THEIRS || !ITEM || !VIDEO) throw new Error('There are four ids');

const details = {
  id: ITEM,
  workspaceId: MINE,
  folderId: null,
  name: 'name.mp4',
  fullName: 'full/name.mp4',
  label: null,
};
const content: MediaContent = { type: 'video/mp4', size: 1, sha256: null, width: 1, height: 1, time: 1, details: null };
const stored = { name: 'name.mp4', fullName: 'full/name.mp4', content };

const ITEMS: Readonly<Record<string, readonly [MediaItem, ReturnType<typeof refuseAttachment>]>> = {
  'a file that was uploaded': [storeFile(details, content, 0), null],
  'an import that has finished': [activate(beginImport(details, 0), stored, 1), null],
  'an import in progress': [beginImport(details, 0), 'processing'],
  'an import that failed': [fail(beginImport(details, 0), 'message', 1), 'failed'],
  'an unconfirmed presigned upload': [beginPresigned(details, 0), 'temporary'],
  'a cover': [storeCover(details, { ...content, type: 'image/jpeg', time: null }, VIDEO, 0), 'cover'],
};

describe('refuseAttachment', () => {
  for (const [what, [item, refusal]] of Object.entries(ITEMS)) {
    test(`${what} is ${refusal === null ? 'accepted' : `refused as ${refusal}`}`, () => {
      expect(refuseAttachment(item, MINE)).toBe(refusal);
    });

    test(`${what} of another workspace is refused like an item that doesn't exist`, () => {
      expect(refuseAttachment(item, THEIRS)).toBe('unknown');
      expect(refuseAttachment(undefined, THEIRS)).toBe('unknown');
    });
  }

  test('has a sentence for each refusal', () => {
    expect(ATTACHMENT_REFUSALS.processing).toBe('The media item is still processing.');
    for (const sentence of Object.values(ATTACHMENT_REFUSALS)) expect(sentence).toMatch(/^The .*\.$/);
  });
});
