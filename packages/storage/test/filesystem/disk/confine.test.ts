import { describe, expect, test } from 'bun:test';
import { dirname, relative, resolve } from 'node:path';
import { isObjectKey } from '@postshelf/domain';
import { HOSTILE_KEYS, UNUSUAL_KEYS } from '@postshelf/testing/contracts/objects/hostile-keys';
import fc from 'fast-check';
import { confine } from '../../../src/filesystem/disk/confine.ts';
import { ITEM, KEY, WORKSPACE } from '../../support/objects.ts';

const ROOT = '/srv/postshelf/media';

/** What an attacker would put between honest pieces. */
const PIECES = [
  WORKSPACE,
  ITEM,
  'photo.jpg',
  'a',
  '.',
  '..',
  '...',
  '/',
  '//',
  '\\',
  '\0',
  '\n',
  ' ',
  '~',
  '%2e%2e',
  '%2f',
  '.staging',
  '\u2215',
  '\uff0f',
  '\uff0e\uff0e',
  '\u202e',
  '\ud800',
  'C:',
  'etc/passwd',
];

const anyHostileText = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join('')),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }).map((pieces) => pieces.join('/')),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
);
const anyKey = fc.oneof(
  anyHostileText,
  anyHostileText.map((name) => `${WORKSPACE}/${ITEM}/${name}`),
);

describe('the path of a key', () => {
  test('is three components below the root', () => {
    expect(confine(ROOT, KEY)).toBe(`${ROOT}/${KEY}`);
    expect(confine('/', KEY)).toBe(`/${KEY}`);
  });

  test.each(HOSTILE_KEYS)('is refused for %s', (_, key) => {
    expect(() => confine(ROOT, key)).toThrow('Not the key of an object');
    expect(isObjectKey(key)).toBe(false);
  });

  test.each(UNUSUAL_KEYS)('is given for %s', (_, key) => {
    expect(confine(ROOT, key)).toBe(`${ROOT}/${key}`);
    expect(isObjectKey(key)).toBe(true);
  });

  test.each(Array.from({ length: 0xa0 }, (_, code) => code).filter((code) => code < 0x20 || code > 0x7e))(
    'is refused for a name with control character %d',
    (code) => {
      expect(() => confine(ROOT, `${WORKSPACE}/${ITEM}/a${String.fromCharCode(code)}b.jpg`)).toThrow();
    },
  );

  test('says nothing of the key when it is refused', () => {
    expect(() => confine(ROOT, '../../secret\x1b[31m')).not.toThrow('secret');
  });

  test('stays in the root for whatever is let through', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        if (!isObjectKey(key)) {
          expect(() => confine(ROOT, key)).toThrow();
          return;
        }
        const path = confine(ROOT, key);
        expect(path).toBe(resolve(path));
        expect(dirname(dirname(dirname(path)))).toBe(ROOT);
        expect(relative(ROOT, path).split('/')).toHaveLength(3);
        expect(relative(ROOT, path)).not.toStartWith('.');
        expect(path).not.toMatch(/[\p{Cc}\p{Cs}\\]/u);
      }),
      { numRuns: 20_000 },
    );
  });

  test('is another one for every other key', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (one, other) => {
        fc.pre(one !== other && isObjectKey(one) && isObjectKey(other));
        expect(confine(ROOT, one)).not.toBe(confine(ROOT, other));
      }),
      { numRuns: 500 },
    );
  });
});
