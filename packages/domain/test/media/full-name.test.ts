import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { fullNameOf, linkOf, nameFromFileName } from '../../src/index.ts';
import { anyMediaType, anyUuid, hostileText, uuid } from '../support/arbitraries.ts';
import { titled } from '../support/titled.ts';

const WORKSPACE = uuid('01890a5d-ac96-774b-bcce-b302099a8057');
const ID = uuid('01890a5d-ac96-774b-bcce-b302099a8058');
const LONE_SURROGATE = /\p{Cs}/u;

const bytes = (text: string): number => new TextEncoder().encode(text).length;
const anyName = fc.tuple(hostileText, anyMediaType).map(([text, type]) => nameFromFileName(text, type));

describe('fullNameOf', () => {
  test('joins workspace, id and name', () => {
    expect(fullNameOf(WORKSPACE, ID, 'beach.jpg')).toBe(`${WORKSPACE}/${ID}/beach.jpg`);
  });

  test.each([
    ['keeps a name of 255 bytes', `${'é'.repeat(100)}${'a'.repeat(51)}.jpg`, `${'é'.repeat(100)}${'a'.repeat(51)}.jpg`],
    [
      'shortens a name of 256 bytes to what fits with any extension',
      `${'é'.repeat(100)}${'a'.repeat(52)}.jpg`,
      `${'é'.repeat(100)}${'a'.repeat(50)}.jpg`,
    ],
    ['shortens a name without an extension', '😀'.repeat(100), '😀'.repeat(62)],
    ['shortens a name with a dot that begins no extension', `v.${'😀'.repeat(98)}`, `v.${'😀'.repeat(62)}`],
    ["doesn't cut emoji in two", `a${'😀'.repeat(99)}.webp`, `a${'😀'.repeat(62)}.webp`],
    ['leaves no space before the extension', `${'日'.repeat(83)} 日.jpg`, `${'日'.repeat(83)}.jpg`],
  ])('%s', (_what, name, segment) => {
    expect(fullNameOf(WORKSPACE, ID, name)).toBe(`${WORKSPACE}/${ID}/${segment}`);
  });

  test('ends in a segment that every file system accepts, and keeps the whole name if it fits', () => {
    fc.assert(
      fc.property(anyUuid, anyUuid, anyName, (workspace, id, name) => {
        const segments = fullNameOf(workspace, id, name).split('/');
        const [, , last = ''] = segments;
        const extension = name.slice(name.lastIndexOf('.'));
        expect(segments).toEqual([workspace, id, last]);
        expect(bytes(last)).toBeLessThanOrEqual(255);
        expect(last.endsWith(extension)).toBe(true);
        expect(last.length).toBeGreaterThan(extension.length);
        expect(last).not.toMatch(LONE_SURROGATE);
        if (bytes(name) <= 255) expect(last).toBe(name);
        else expect(name.startsWith(last.slice(0, -extension.length))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('linkOf', () => {
  test.each(
    titled([
      ['beach.jpg', 'beach.jpg'],
      ['a b.jpg', 'a%20b.jpg'],
      ['100%.jpg', '100%25.jpg'],
      ['%2e%2e%2f.jpg', '%252e%252e%252f.jpg'],
      ['a?b#c&d=e+f.jpg', 'a%3Fb%23c%26d%3De%2Bf.jpg'],
      ["!'()*.jpg", '%21%27%28%29%2A.jpg'],
      ['café 😀.jpg', 'caf%C3%A9%20%F0%9F%98%80.jpg'],
    ]),
  )('encodes %s', (_title, name, end) => {
    expect(linkOf('https://media.example/files', `${WORKSPACE}/${ID}/${name}`)).toBe(
      `https://media.example/files/${WORKSPACE}/${ID}/${end}`,
    );
  });

  test('returns a normalised URL that decodes, segment by segment, to the full name', () => {
    const anyBase = fc.constantFrom('http://127.0.0.1:3000/files', 'https://cdn.example', 'https://s3.example/a%20b');
    fc.assert(
      fc.property(anyBase, anyUuid, anyUuid, anyName, (base, workspace, id, name) => {
        const fullName = fullNameOf(workspace, id, name);
        const link = linkOf(base, fullName);
        expect(new URL(link).href).toBe(link);
        const path = link.slice(base.length + 1);
        expect(path).toMatch(/^[A-Za-z0-9\-._~%/]+$/);
        expect(path.split('/').map(decodeURIComponent)).toEqual(fullName.split('/'));
      }),
      { numRuns: 1000 },
    );
  });
});
