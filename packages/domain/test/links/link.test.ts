import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type LinkSigner,
  parseUuid,
  redirectLife,
  requireSignable,
  secondsLeft,
  workspaceOfPath,
} from '../../src/index.ts';

const NOW = Date.UTC(2026, 0, 31, 18, 30, 0, 500);
const SECOND = Math.floor(NOW / 1000);
const WEEK = 604_800;

const sign: LinkSigner['sign'] = (terms) => JSON.stringify(terms);
const signer: LinkSigner = { sign, verify: (terms, signature) => sign(terms) === signature };
const terms = { key: null, path: 'files/a' } as const;
const leftOf = (expires: number, written = String(expires)) =>
  secondsLeft(signer, terms, { expires: written, signature: sign({ ...terms, expires }) }, NOW);

describe('the remaining seconds of a signed link', () => {
  test('are whole, positive and at most a week, even if the clock is behind', () => {
    fc.assert(
      fc.property(fc.integer({ min: -10, max: WEEK + 10 }), (life) => {
        const left = life - 1;
        expect(leftOf(SECOND + life)).toBe(left > 0 ? Math.min(left, WEEK) : null);
      }),
    );
  });

  test.each(['', ' 1', '01', '1e12', '-1', '+1', '0x10', '1.0', '١', '9'.repeat(13), 'NaN'])(
    'are null for the expiry %p',
    (text) => {
      expect(leftOf(Number(text), text)).toBeNull();
    },
  );

  test('are null without the expiry or signature, or for another path or key', () => {
    const expires = String(SECOND + 60);
    const signature = sign({ ...terms, expires: SECOND + 60 });
    const others = { path: 'previews/a', key: parseUuid('019f5b0e-6a3d-7e11-8c42-9f0d3b7a5e64') } as const;
    expect(secondsLeft(signer, terms, { expires, signature }, NOW)).toBe(59);
    expect(secondsLeft(signer, terms, { expires, signature: null }, NOW)).toBeNull();
    expect(secondsLeft(signer, terms, { expires: null, signature }, NOW)).toBeNull();
    expect(secondsLeft(signer, { ...terms, path: others.path }, { expires, signature }, NOW)).toBeNull();
    expect(secondsLeft(signer, { ...terms, key: others.key }, { expires, signature }, NOW)).toBeNull();
  });
});

test('workspaceOfPath returns the workspace id at the beginning of a path', () => {
  const id = '019f5b0e-6a3d-7e11-8c42-9f0d3b7a5e64';
  expect(workspaceOfPath(`files/${id}/x`)).toBe(parseUuid(id));
  expect(workspaceOfPath(`previews/${id}`)).toBe(parseUuid(id));
  for (const path of ['files/', `files/x/${id}`, `files//${id}`, `files/${id}x/y`] as const)
    expect(workspaceOfPath(path)).toBeNull();
});

test("links of a public bucket can't be signed", () => {
  expect(() => requireSignable('signed', true)).toThrow('invalid');
  requireSignable('signed', false);
  requireSignable('public', true);
});

test.each([
  [null, 3600],
  [7200, 900],
  [60, 60],
] as const)('a redirect of a link that is valid for %p more seconds is valid for %p', (left, life) => {
  expect(redirectLife(left)).toBe(life);
});
