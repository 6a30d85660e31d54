import { expect, test } from 'bun:test';
import { parseUuid } from '@postshelf/domain';
import { createLinkSigner } from '../../src/compose/link-signer.ts';

const SECRET = 'a secret of more than thirty-two characters';
const terms = { key: null, path: 'files/w/i/a.jpg', expires: 1_800_000_000 } as const;

test('a signature is valid only for its own link, expiry and secret, and only in its exact spelling', () => {
  const signer = createLinkSigner(SECRET);
  const signature = signer.sign(terms);
  expect(signature).toMatch(/^[\w-]{43}$/);
  expect(createLinkSigner(SECRET).verify(terms, signature)).toBe(true);
  expect(createLinkSigner(`${SECRET}.`).verify(terms, signature)).toBe(false);
  const key = parseUuid('019f5b0e-6a3d-7e11-8c42-9f0d3b7a5e64');
  for (const other of [{ key }, { path: 'previews/w/i/a.jpg' as const }, { expires: terms.expires + 1 }])
    expect(signer.verify({ ...terms, ...other }, signature)).toBe(false);
  for (const text of [
    '',
    `${signature}=`,
    signature.slice(1),
    signature.toLowerCase(),
    'é'.repeat(43),
    '\0'.repeat(43),
  ])
    expect(signer.verify(terms, text)).toBe(false);
});
