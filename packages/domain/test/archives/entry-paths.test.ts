import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { caseFold, entryPaths, type NamedEntry } from '../../src/index.ts';
import { hostileText } from '../support/arbitraries.ts';
import { titled } from '../support/titled.ts';

const at = (...path: readonly string[]): NamedEntry => ({ folders: path.slice(0, -1), name: path.at(-1) ?? '' });
const pathsOf = (...paths: readonly (readonly string[])[]) => entryPaths(paths.map((path) => at(...path)));

describe('entryPaths', () => {
  test('puts files into their folders and keeps their order', () => {
    expect(pathsOf(['b.jpg'], ['Summer', 'Beach', 'a.jpg'], ['Summer', 'a.jpg'])).toEqual([
      'b.jpg',
      'Summer/Beach/a.jpg',
      'Summer/a.jpg',
    ]);
  });

  test('numbers files with the same name in a folder, before the extension', () => {
    expect(pathsOf(['a.jpg'], ['a.jpg'], ['A.JPG'], ['Summer', 'a.jpg'], ['a.b.png'], ['a.b.png'])).toEqual([
      'a.jpg',
      'a (2).jpg',
      'A (3).JPG',
      'Summer/a.jpg',
      'a.b.png',
      'a.b (2).png',
    ]);
  });

  test('skips a number that another file name already has', () => {
    expect(pathsOf(['a (2).jpg'], ['a.jpg'], ['a.jpg'], ['a (2).jpg'])).toEqual([
      'a (2).jpg',
      'a.jpg',
      'a (3).jpg',
      'a (2) (2).jpg',
    ]);
  });

  test('renames a file whose path is also the path of a folder', () => {
    expect(pathsOf(['2026.jpg'], ['2026.jpg', 'a.jpg'])).toEqual(['2026 (2).jpg', '2026.jpg/a.jpg']);
  });

  describe('replaces folder names that unpacking programs refuse', () => {
    test.each(
      titled([
        ['..', '_'],
        ['.', '_'],
        [' ', '_'],
        ['../../etc/passwd', '..-..-etc-passwd'],
        ['C:\\x', 'C--x'],
        ['a<b>c:d"e|f?g*h', 'a-b-c-d-e-f-g-h'],
        ['ends. ', 'ends'],
        ['nul', '_nul'],
        ['COM1.2026', '_COM1.2026'],
        ['console', 'console'],
        ['a\u0000b\u202ec', 'abc'],
        ['été 🏖️', 'été 🏖️'],
      ]),
    )('%s', (_title, folder, segment) => {
      expect(pathsOf([folder, 'a.jpg'])).toEqual([`${segment}/a.jpg`]);
    });
  });

  test('numbers 10,000 files with the same name quickly', () => {
    const paths = entryPaths(Array.from({ length: 10_000 }, () => at('a.jpg')));
    expect(paths.at(-1)).toBe('a (10000).jpg');
  });

  test('makes paths that are unique regardless of case and stay below the folder they are unpacked to', () => {
    const text = fc.oneof(hostileText, fc.constantFrom('a', 'A', 'a (2)', '..', 'é', 'e\u0301', 'a.jpg', 'nul'));
    const entries = fc.array(
      fc.record({ folders: fc.array(text, { maxLength: 3 }), name: text.map((stem) => `${stem}.jpg`) }),
    );
    fc.assert(
      fc.property(entries, (named) => {
        const paths = entryPaths(named);
        const keys = paths.map(caseFold);
        expect(new Set(keys).size).toBe(named.length);
        const folders = new Set(keys.map((key) => key.slice(0, key.lastIndexOf('/'))));
        for (const [index, path] of paths.entries()) {
          expect(folders.has(keys[index] ?? '')).toBe(false);
          const segments = path.split('/');
          expect(segments).toHaveLength((named[index]?.folders.length ?? 0) + 1);
          for (const segment of segments) {
            // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not occur.
            expect(segment).not.toMatch(/[<>:"\\|?*\u0000-\u001f]|^\s|[. ]$/);
            expect(segment).not.toBe('');
            expect(Buffer.from(segment).toString()).toBe(segment);
          }
        }
      }),
    );
  });
});
