import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type ChangedKind,
  EVENT_TYPES,
  isEventType,
  type MediaStatus,
  SCOPES,
  scopeOfEvent,
  typeOfChange,
} from '../../src/index.ts';

const state = fc.constantFrom('there' as const, null);
const status = fc.constantFrom<MediaStatus | null>('temporary', 'processing', 'active', 'failed', null);

describe('typeOfChange', () => {
  test.each([
    ['media', null, 'processing', 'media.processing'],
    ['media', null, 'active', 'media.active'],
    ['media', null, 'failed', 'media.failed'],
    ['media', null, 'temporary', null],
    ['media', 'temporary', 'temporary', null],
    ['media', 'temporary', 'active', 'media.active'],
    ['media', 'temporary', 'failed', 'media.failed'],
    ['media', 'temporary', null, null],
    ['media', 'processing', 'active', 'media.active'],
    ['media', 'processing', 'failed', 'media.failed'],
    ['media', 'processing', 'processing', 'media.updated'],
    ['media', 'active', 'active', 'media.updated'],
    ['media', 'failed', 'processing', 'media.processing'],
    ['media', 'processing', null, 'media.deleted'],
    ['media', 'active', null, 'media.deleted'],
    ['media', 'failed', null, 'media.deleted'],
    ['media', null, null, null],
    ['folder', null, 'there', 'folder.created'],
    ['folder', 'there', 'there', 'folder.updated'],
    ['folder', 'there', null, 'folder.deleted'],
    ['folder', null, null, null],
    ['post', null, 'there', 'post.created'],
    ['post', 'there', 'there', 'post.updated'],
    ['post', 'there', null, 'post.deleted'],
    ['post', null, null, null],
  ] as const)('for %s from %p to %p is %p', (kind, before, after, type) => {
    expect(typeOfChange(kind, before, after)).toBe(type);
  });

  test('starts with the kind of the resource, and ends in deleted exactly if the new state is hidden', () => {
    const change = fc.oneof(
      fc.record({ kind: fc.constant<ChangedKind>('media'), before: status, after: status }),
      fc.record({ kind: fc.constantFrom<ChangedKind>('folder', 'post'), before: state, after: state }),
    );
    const isShown = (value: MediaStatus | 'there' | null): boolean => value !== null && value !== 'temporary';
    fc.assert(
      fc.property(change, ({ kind, before, after }) => {
        const type = typeOfChange(kind, before, after);
        expect(type !== null).toBe(isShown(before) || isShown(after));
        if (type === null) return;
        expect(isEventType(type)).toBe(true);
        expect(type).toStartWith(`${kind}.`);
        expect(type.endsWith('.deleted')).toBe(!isShown(after));
      }),
    );
  });
});

test('an event type requires the read scope of its kind', () => {
  expect(Object.fromEntries(EVENT_TYPES.map((type) => [type, scopeOfEvent(type)]))).toEqual({
    'media.processing': 'media:read',
    'media.active': 'media:read',
    'media.failed': 'media:read',
    'media.updated': 'media:read',
    'media.deleted': 'media:read',
    'folder.created': 'folders:read',
    'folder.updated': 'folders:read',
    'folder.deleted': 'folders:read',
    'post.created': 'analytics:read',
    'post.updated': 'analytics:read',
    'post.deleted': 'analytics:read',
    'workspace.quota': 'media:read',
  });
  for (const type of EVENT_TYPES) expect(SCOPES).toContain(scopeOfEvent(type));
});

test.each(['', 'media', 'media.', 'MEDIA.ACTIVE', 'webhook.test', 'reset', 'media.active ', 'length', 'constructor'])(
  '%p is not an event type',
  (text) => {
    expect(isEventType(text)).toBe(false);
  },
);
