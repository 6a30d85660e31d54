import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  codePointLength,
  inputStem,
  isInvisible,
  nameFromFileName,
  nameFromInput,
  problemOfNewName,
  problemOfRename,
  resumableName,
} from '../../src/index.ts';
import { anyMediaType, hostileText } from '../support/arbitraries.ts';
import { titled } from '../support/titled.ts';

const JPEG = 'image/jpeg';

describe('nameFromFileName', () => {
  describe('keeps the last path component', () => {
    test.each(
      titled([
        ['beach.jpg', 'beach.jpg'],
        ['/etc/passwd', 'passwd.jpg'],
        ['../../../etc/passwd', 'passwd.jpg'],
        ['C:\\fakepath\\x.jpg', 'x.jpg'],
        ['\\\\server\\share\\x.jpg', 'x.jpg'],
        ['a/b\\c/d.jpg', 'd.jpg'],
        ['a\u2044b.jpg', 'b.jpg'],
        ['a\u2215b.jpg', 'b.jpg'],
        ['a\u29f8b.jpg', 'b.jpg'],
        ['a\uff0fb.jpg', 'b.jpg'],
        ['a\uff3cb.jpg', 'b.jpg'],
        ['%2e%2e%2fx.jpg', '%2e%2e%2fx.jpg'],
      ]),
    )('%s', (_title, fileName, name) => {
      expect(nameFromFileName(fileName, JPEG)).toBe(name);
    });
  });

  describe('falls back to file.jpg if nothing is left', () => {
    const NOTHING = ['', ' ', '.', '..', '...', '. .', '/', '\\', 'photos/', '../..', '.jpg', ' .jpg', '.htaccess'];
    test.each(titled([...NOTHING, '\0', '\u202e', '\ud83d'].map((fileName) => [fileName])))(
      '%s',
      (_title, fileName) => {
        expect(nameFromFileName(fileName, JPEG)).toBe('file.jpg');
      },
    );
  });

  describe('replaces the extension with that of the media type', () => {
    test.each(
      titled([
        ['evil.php', 'image/jpeg', 'evil.jpg'],
        ['evil.html', 'image/png', 'evil.png'],
        ['clip.MP4', 'video/quicktime', 'clip.mov'],
        ['clip.mov', 'video/mp4', 'clip.mp4'],
        ['photo.JPEG', 'image/jpeg', 'photo.jpg'],
        ['photo.jpg ', 'image/jpeg', 'photo.jpg'],
        ['evil.php.', 'image/jpeg', 'evil.jpg'],
        ['evil.php. . ', 'image/gif', 'evil.gif'],
        ['evil.php\0.jpg', 'image/jpeg', 'evil.php.jpg'],
        ['gpj.\u202ephp', 'image/webp', 'gpj.webp'],
        ['archive.tar.gz', 'image/gif', 'archive.tar.gif'],
        ['photo.jpg.exe', 'image/jpeg', 'photo.jpg.jpg'],
        ['song.mp3', 'video/mp4', 'song.mp4'],
        ['no extension', 'image/webp', 'no extension.webp'],
        ['v1.2', 'image/png', 'v1.2.png'],
        ['2026.01.31', 'image/png', '2026.01.31.png'],
        ['Wait... what', 'image/png', 'Wait... what.png'],
        ['a.notanextension', 'image/png', 'a.notanextension.png'],
        ['фото.жпг', 'image/jpeg', 'фото.жпг.jpg'],
      ]),
    )('%s', (_title, fileName, type, name) => {
      expect(nameFromFileName(fileName, type)).toBe(name);
    });
  });

  describe('removes characters that hide, reorder or break text', () => {
    test.each(
      titled([
        ['a\u0000b\u001fc\u007fd\u0085e.jpg', 'abcde.jpg'],
        ['a\r\nb.jpg', 'ab.jpg'],
        ['a\u202a\u202b\u202c\u202d\u202eb.jpg', 'ab.jpg'],
        ['a\u2066\u2067\u2068\u2069\u200e\u200f\u061cb.jpg', 'ab.jpg'],
        ['a\ud83db.jpg', 'ab.jpg'],
        ['a\ude00\ud83db.jpg', 'ab.jpg'],
        ['a\ud83d\u202e\ude00b.jpg', 'ab.jpg'],
        ['.hidden file', 'hidden file.jpg'],
        [' \t a b \u3000', 'a b.jpg'],
      ]),
    )('%s', (_title, fileName, name) => {
      expect(nameFromFileName(fileName, JPEG)).toBe(name);
    });
  });

  describe('keeps ordinary characters of any script', () => {
    test.each(
      titled([
        ['cafe\u0301.jpg', 'caf\u00e9.jpg'],
        ['cafe\u202e\u0301.jpg', 'caf\u00e9.jpg'],
        ['日本の夏.jpg', '日本の夏.jpg'],
        ['👩🏽\u200d🚀.jpg', '👩🏽\u200d🚀.jpg'],
        ['שלום.jpg', 'שלום.jpg'],
        ["it's (1) 50% & more!.jpg", "it's (1) 50% & more!.jpg"],
      ]),
    )('%s', (_title, fileName, name) => {
      expect(nameFromFileName(fileName, JPEG)).toBe(name);
    });
  });

  describe('keeps 100 code points before the extension', () => {
    test.each([
      ['letters', 'a'.repeat(300), `${'a'.repeat(100)}.jpg`],
      ['decomposed letters', 'e\u0301'.repeat(300), `${'é'.repeat(100)}.jpg`],
      ['a cut that ends in dots', `${'a'.repeat(98)}....b`, `${'a'.repeat(98)}.jpg`],
    ])('of %s', (_what, fileName, name) => {
      expect(nameFromFileName(fileName, JPEG)).toBe(name);
    });
  });

  describe('keeps what fits into 255 bytes with any extension', () => {
    test.each([
      ['emoji', `${'😀'.repeat(300)}.png`, `${'😀'.repeat(62)}.jpg`],
      ['letters that decompose into four', '\u1f82'.normalize('NFD').repeat(300), `${'\u1f82'.repeat(83)}.jpg`],
    ])('of %s', (_what, fileName, name) => {
      expect(nameFromFileName(fileName, JPEG)).toBe(name);
    });
  });

  // Each of these names took seconds to minutes when a part of the work grew with the square of the length.
  test.each([
    ['combining marks out of order', `a${'\u0301\u0316'.repeat(250_000)}`],
    ['dots before a letter', `x${'.'.repeat(500_000)}é`],
    ['white space before a letter', `x${' '.repeat(500_000)}é`],
    ['digits after dots', `${'.1'.repeat(250_000)}é`],
    ['path separators', '/'.repeat(500_000)],
  ])('shortens a very long name of %s', (_what, fileName) => {
    expect(codePointLength(nameFromFileName(fileName, JPEG))).toBeLessThanOrEqual(104);
  });
});

describe('nameFromInput', () => {
  test.each(
    titled([
      ['beach', 'image/jpeg', 'beach.jpg'],
      ['beach.jpg', 'image/jpeg', 'beach.jpg'],
      ['beach.JPEG', 'image/jpeg', 'beach.jpg'],
      ['beach.png', 'image/jpeg', 'beach.jpg'],
      ['beach.jpg.', 'image/jpeg', 'beach.jpg'],
      ['clip.m4v', 'video/mp4', 'clip.mp4'],
      ['clip.qt', 'video/quicktime', 'clip.mov'],
      ['Sale 50.off', 'image/jpeg', 'Sale 50.off.jpg'],
      ['Version 1.2', 'image/jpeg', 'Version 1.2.jpg'],
      ['evil.php', 'image/jpeg', 'evil.php.jpg'],
      ['../../x', 'image/jpeg', '-..-x.jpg'],
      ['AC/DC live', 'image/jpeg', 'AC-DC live.jpg'],
      ['cafe\u0301', 'image/jpeg', 'caf\u00e9.jpg'],
      ['', 'image/jpeg', 'file.jpg'],
    ]),
  )('%s', (_title, input, type, name) => {
    expect(nameFromInput(input, type)).toBe(name);
  });
});

describe('inputStem', () => {
  test.each(
    titled([
      ['abc', 'abc'],
      ['abc.jpg', 'abc'],
      ['abc.off', 'abc.off'],
      ['.jpg', ''],
      ['   ', ''],
      ['a..', 'a'],
      ['...a', 'a'],
      ['\u202e\u202e\u202ea', 'a'],
      ['folder/ab', 'folder-ab'],
      ['e\u0301e\u0301', 'éé'],
    ]),
  )('%s', (_title, input, stem) => {
    expect(inputStem(input)).toBe(stem);
  });

  test.each([
    ['letters', 'a'.repeat(101)],
    ['decomposed letters', '\u1f82'.normalize('NFD').repeat(101)],
    ['white space between letters', `abc${' '.repeat(1000)}d`],
    ['a million letters', 'a'.repeat(1_000_000)],
  ])('keeps more than 100 code points of %s', (_what, input) => {
    expect(codePointLength(inputStem(input))).toBeGreaterThan(100);
  });

  test('counts 100 letters in decomposed form as 100 code points', () => {
    expect(codePointLength(inputStem('\u1f82'.normalize('NFD').repeat(100)))).toBe(100);
  });
});

const TOO_LONG = 'must not be greater than 100 characters.';
const TOO_SHORT = 'must be at least 3 characters.';
const NOTHING = 'must contain a visible character besides its extension.';

describe('problemOfNewName', () => {
  test.each(
    titled([
      ['a.jpg', null],
      ['abc', null],
      ['東京都', null],
      ['ab', TOO_SHORT],
      ['🏖🏖', TOO_SHORT],
      ['', TOO_SHORT],
      ['e\u0301e', null],
      ['🏖'.repeat(100), null],
      [`${'a'.repeat(96)}.jpg`, null],
      [`${'a'.repeat(97)}.jpg`, TOO_LONG],
      ['x'.repeat(101), TOO_LONG],
      ['\u1f82'.normalize('NFD').repeat(26), TOO_LONG],
      ['a'.repeat(1_000_000), TOO_LONG],
      ['.jpg', NOTHING],
      ['...', NOTHING],
      ['   ', NOTHING],
      ['\u200b\u200b\u200b', NOTHING],
    ]),
  )('counts every character as it was sent: %s', (_title, name, problem) => {
    expect(problemOfNewName(name)).toBe(problem);
  });
});

describe('problemOfRename', () => {
  test.each(
    titled([
      ['1.jpg', null],
      ['東京', null],
      ['x', null],
      ['X.JPG', null],
      [`${'a'.repeat(100)}.jpg`, null],
      ['🏖'.repeat(100), null],
      [`${'a'.repeat(101)}.jpg`, TOO_LONG],
      [`${'a'.repeat(97)}.png`, TOO_LONG],
      ['', 'is required.'],
      ['.jpg', 'is required.'],
      ['.png', NOTHING],
      ['  .jpg', NOTHING],
    ]),
  )('counts every character except the item’s own extension: %s', (_title, name, problem) => {
    expect(problemOfRename(name, 'beach.jpg')).toBe(problem);
  });

  test('accepts every name that an upload can get', () => {
    fc.assert(
      fc.property(hostileText, anyMediaType, (text, type) => {
        const name = nameFromFileName(text, type);
        fc.pre(!isInvisible(inputStem(name)));
        expect(problemOfRename(name, name)).toBeNull();
        expect(nameFromInput(name, type)).toBe(name);
      }),
    );
  });
});

describe('resumableName', () => {
  test.each([
    ['beach.JPEG', 'beach.jpg'],
    ['clip.m4v', 'clip.mp4'],
    ['clip.qt ', 'clip.mov'],
    ['photo.heic', 'photo.jpg'],
    ['photo.AVIF', 'photo.jpg'],
    ['photo.tiff', 'photo'],
    ['archive', 'archive'],
    ['.jpg', 'file.jpg'],
    ['', 'file'],
  ])('turns %j into %j', (fileName, name) => {
    expect(resumableName(fileName)).toBe(name);
  });
});
