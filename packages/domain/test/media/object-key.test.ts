import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { fullNameOf, isObjectKey, nameFromFileName } from '../../src/index.ts';
import { anyMediaType, anyUuid, hostileText } from '../support/arbitraries.ts';
import { titled } from '../support/titled.ts';

const WORKSPACE = '01890a5d-ac96-774b-bcce-b302099a8057';
const ITEM = '01890a5d-ac96-774b-bcce-b302099a8058';
const inItem = (name: string): string => `${WORKSPACE}/${ITEM}/${name}`;

describe('an object key', () => {
  test.each(
    titled([
      ['photo.jpg'],
      ['...'],
      ['.hidden'],
      ['-rf.jpg'],
      ['my summer photo.jpg'],
      ['été-日本-😀.jpg'],
      ['%2e%2e%2f.jpg'],
      ['__proto__'],
      ['a'.repeat(255)],
      ['é'.repeat(127)],
    ]),
  )('may end in %s', (_title, name) => {
    expect(isObjectKey(inItem(name))).toBe(true);
  });

  test.each(
    titled([
      [''],
      ['.'],
      ['..'],
      ['a/b.jpg'],
      ['photo.jpg/'],
      ['..\\photo.jpg'],
      ['photo.jpg\0'],
      ['photo\n.jpg'],
      ['photo\x7f.jpg'],
      ['photo\u0085.jpg'],
      ['photo\u2028.jpg'],
      ['photo\u202egpj.exe'],
      ['photo\ud800.jpg'],
      ['a'.repeat(256)],
      ['é'.repeat(128)],
      ['a'.repeat(1_000_000)],
    ]),
  )("can't end in %s", (_title, name) => {
    expect(isObjectKey(inItem(name))).toBe(false);
  });

  test.each(
    titled([
      [''],
      ['/'],
      ['photo.jpg'],
      [`${WORKSPACE}/photo.jpg`],
      [`/${inItem('photo.jpg')}`],
      [`${WORKSPACE}//photo.jpg`],
      [`../${ITEM}/photo.jpg`],
      [`${WORKSPACE}/../photo.jpg`],
      [`.staging/${ITEM}/photo.jpg`],
      [`${WORKSPACE.toUpperCase()}/${ITEM}/photo.jpg`],
      [`${WORKSPACE}/${ITEM.toUpperCase()}/photo.jpg`],
      [`{${WORKSPACE}}/${ITEM}/photo.jpg`],
      [`${WORKSPACE}\n/${ITEM}/photo.jpg`],
      [`${WORKSPACE}\\${ITEM}\\photo.jpg`],
      ['/'.repeat(1_000_000)],
    ]),
  )("can't be %s", (_title, key) => {
    expect(isObjectKey(key)).toBe(false);
  });

  test('may be any full name', () => {
    fc.assert(
      fc.property(anyUuid, anyUuid, hostileText, anyMediaType, (workspace, id, text, type) => {
        expect(isObjectKey(fullNameOf(workspace, id, nameFromFileName(text, type)))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
