import { expect, test } from 'bun:test';
import {
  type EventContent,
  fullNameOf,
  type LibraryEvent,
  MAX_EXTERNAL_ID_LENGTH,
  MAX_LABEL_LENGTH,
  MAX_MEDIA_PER_POST,
  MAX_METRIC,
  NAME_LENGTH,
} from '@postshelf/domain';
import { NOW, newId, sampleImage, sampleVideo } from '@postshelf/testing/contracts/samples';
import { showEvent } from '../../../src/index.ts';

const workspaceId = newId();

/** The limit that docs/webhooks.md states for a body, in bytes. */
const MAX_PAYLOAD = 20 * 1024;

/** The character that takes the most bytes in JSON and in links. */
const LONGEST = '\u{10ffff}';

const name = `${LONGEST.repeat(NAME_LENGTH.max)}.jpg`;
const named = (id = newId()) => ({
  id,
  name,
  fullName: fullNameOf(workspaceId, id, name),
  label: '\x01'.repeat(MAX_LABEL_LENGTH),
});

const CONTENTS: readonly EventContent[] = [
  { kind: 'media', media: { item: sampleVideo(workspaceId, named()), cover: sampleImage(workspaceId, named()) } },
  {
    kind: 'post',
    post: {
      id: newId(),
      workspaceId,
      profileId: newId(),
      externalId: '\x01'.repeat(MAX_EXTERNAL_ID_LENGTH),
      publishedAt: NOW,
      version: 1,
      mediaIds: Array.from({ length: MAX_MEDIA_PER_POST }, () => newId()),
      metrics: {
        impressions: MAX_METRIC,
        likes: MAX_METRIC,
        comments: MAX_METRIC,
        shares: MAX_METRIC,
        saves: MAX_METRIC,
        clicks: MAX_METRIC,
      },
      createdAt: NOW,
      updatedAt: NOW,
    },
  },
];

test.each(CONTENTS)('the largest $kind event fits within the payload limit', (content) => {
  const event: LibraryEvent = { id: newId(), type: 'media.active', workspaceId, at: NOW, content };
  const mediaBase = `https://${'a'.repeat(1000)}.test/files`;
  const bytes = Buffer.byteLength(JSON.stringify(showEvent({ mediaBase }, event)));
  expect(bytes).toBeLessThan(MAX_PAYLOAD);
  expect(bytes).toBeGreaterThan(MAX_PAYLOAD / 10);
});
