import { describe, expect, test } from 'bun:test';
import { dirname, relative, resolve } from 'node:path';
import { isObjectKey } from '@postshelf/domain';
import { HOSTILE_KEYS } from '@postshelf/testing/contracts/objects/hostile-keys';
import fc from 'fast-check';
import { confine, splitFolder } from '../../../src/filesystem/disk/confine.ts';
import { ITEM, KEY, WORKSPACE } from '../../support/objects.ts';

const ROOT = '/srv/postshelf/media';

/** Pieces of valid keys, and characters that an attacker might put between them. */
const PIECES = [WORKSPACE, ITEM, '\0', '\n', ' ', '\u2215', '\uff0f', '\uff0e\uff0e', '\u202e', '\ud800'].concat(
  'photo.jpg a . .. ... / // \\ ~ %2e%2e %2f .staging C: etc/passwd'.split(' '),
);

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

  test('is refused for an invalid key, and the message does not contain the key', () => {
    for (const [, key] of HOSTILE_KEYS) expect(() => confine(ROOT, key)).toThrow('Not the key of an object');
    expect(() => confine(ROOT, '../../secret\x1b[31m')).not.toThrow('secret');
  });

  test('is within the root for every accepted key', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        if (!isObjectKey(key)) {
          expect(() => confine(ROOT, key)).toThrow();
          return;
        }
        const path = confine(ROOT, key);
        expect(path).toBe(resolve(path));
        expect(dirname(dirname(dirname(path)))).toBe(ROOT);
        expect(relative(ROOT, path)).toBe(key);
        expect(relative(ROOT, path)).not.toStartWith('.');
        expect(path).not.toMatch(/[\p{Cc}\p{Cs}\\]/u);
      }),
      { numRuns: 20_000 },
    );
  });
});

test('the folder of a key is the root, or a folder below it whose name begins with a dot', () => {
  expect(splitFolder(ROOT, KEY)).toEqual({ name: '', path: ROOT, outer: [], rest: KEY });
  expect(splitFolder(ROOT, `.trash/1000/${KEY}`)).toEqual({
    name: '.trash/1000',
    path: `${ROOT}/.trash/1000`,
    outer: [`${ROOT}/.trash`, `${ROOT}/.trash/1000`],
    rest: KEY,
  });
  const anyFolder = fc.oneof(
    anyHostileText,
    fc.constantFrom('.trash/', '.trash/1/', '.previews/', '.trash/../', '.a/1/2/'),
  );
  fc.assert(
    fc.property(anyFolder, anyKey, (folder, key) => {
      const { path, name, rest } = splitFolder(ROOT, folder + key);
      expect(path).toBe(name === '' ? ROOT : `${ROOT}/${name}`);
      expect(name).toMatch(/^(?:\.[a-z]+(?:\/\d+)?)?$/);
      expect(name === '' ? rest : `${name}/${rest}`).toBe(folder + key);
    }),
    { numRuns: 5000 },
  );
});
