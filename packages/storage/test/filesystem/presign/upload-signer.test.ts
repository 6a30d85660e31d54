import { describe, expect, test } from 'bun:test';
import { createHmac, hkdfSync } from 'node:crypto';
import { MEDIA_TYPES, type PresignedUpload, type Uuid } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { fakeClock } from '@postshelf/testing/fakes';
import fc from 'fast-check';
import { UploadSigner } from '../../../src/filesystem/presign/upload-signer.ts';
import { openFilePresignStorage } from '../../../src/index.ts';
import { testInScratch } from '../../support/scratch.ts';
import { SECRET } from '../../support/uploads.ts';

const UPLOAD: PresignedUpload = { id: newId(), size: 1234, type: 'image/jpeg', expiresAt: Date.UTC(2026, 0, 15, 13) };
const TEXT = `v1\n${UPLOAD.id}\n1234\nimage/jpeg\n1768482000`;
const signer = new UploadSigner(SECRET);
const signed = (upload = UPLOAD): Record<string, string> => Object.fromEntries(signer.sign(upload));
const hmac = (key: string | Buffer): string => createHmac('sha256', key).update(TEXT).digest('base64url');

/** Returns a row for `test.each`: a title such as `size=1235`, with long values shortened, and the changed fields. */
const shown = <Change extends object>(change: Change) => {
  const fields = Object.entries(change).map(([name, value]) => {
    const text = typeof value === 'number' ? String(value) : JSON.stringify(value).slice(0, 40);
    return `${name}=${value === UPLOAD.id ? 'its own id' : text}`;
  });
  return [fields.join(' and '), change] as const;
};

describe('a signed upload query', () => {
  test('is verified by every process with the same secret', () => {
    const uploads = fc.record({
      id: fc.uuid().map((id) => id as Uuid),
      size: fc.nat(2 ** 31),
      type: fc.constantFrom(...(Object.keys(MEDIA_TYPES) as PresignedUpload['type'][])),
      expiresAt: fc.nat(2 ** 31).map((seconds) => seconds * 1000),
    });
    const another = new UploadSigner(SECRET);
    fc.assert(fc.property(uploads, (upload) => expect(another.read(upload.id, signed(upload))).toEqual(upload)));
  });

  test('has an HMAC (RFC 2104) that is verified by a key derived from the secret, but not by the secret itself', () => {
    const key = Buffer.from(hkdfSync('sha256', SECRET, '', 'postshelf upload address', 32));
    expect(signed()).toEqual({ expires: '1768482000', size: '1234', type: 'image/jpeg', signature: hmac(key) });
    expect(new UploadSigner(`${SECRET} `).read(UPLOAD.id, signed())).toBeNull();
    expect(signer.read(UPLOAD.id, { ...signed(), signature: hmac(SECRET) })).toBeNull();
  });

  const changed: readonly Readonly<Record<string, string>>[] = [
    ...['1235', '1233', '+1234', '01234', '1234.0', '1.234e3', '0x4d2', ' 1234', '1234\n', '-1234', ''].map((size) => ({
      size,
    })),
    { size: '\u0661\u0662\u0663\u0664' },
    { size: '9'.repeat(400) },
    ...['1768482001', '01768482000', '1768482000.0', 'NaN', 'Infinity', ''].map((expires) => ({ expires })),
    ...['image/png', 'text/html', 'IMAGE/JPEG', 'image/jpeg;a=b', '__proto__', ''].map((type) => ({ type })),
    { size: '123', type: '4\nimage/jpeg' },
    { size: '1768482000', expires: '1234' },
    { signature: '' },
    { more: '1' },
    { id: UPLOAD.id },
  ];
  test.each(changed.map(shown))('is refused with %s', (_, change) => {
    expect(signer.read(UPLOAD.id, { ...signed(), ...change })).toBeNull();
  });

  test.each(['expires', 'size', 'type', 'signature'])('is refused without %s', (field) => {
    const { [field]: _, ...rest } = signed();
    expect(signer.read(UPLOAD.id, rest)).toBeNull();
    expect(signer.read(UPLOAD.id, { ...rest, [field.toUpperCase()]: signed()[field] ?? '' })).toBeNull();
  });

  test('is refused for another id, even with the signature of that id', () => {
    const other = { ...UPLOAD, id: newId() };
    expect(signer.read(other.id, signed())).toBeNull();
    expect(signer.read(UPLOAD.id, signed(other))).toBeNull();
    expect(signer.read(UPLOAD.id.toUpperCase() as Uuid, signed())).toBeNull();
  });

  test('is refused with a changed, shortened, extended or differently encoded signature', () => {
    const { signature = '', ...rest } = signed();
    expect(signature).toHaveLength(43);
    const bytes = Buffer.from(signature, 'base64url');
    const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
    const lastChanged = alphabet.map((letter) => signature.slice(0, -1) + letter).filter((each) => each !== signature);
    expect(lastChanged.filter((each) => Buffer.from(each, 'base64url').equals(bytes))).toHaveLength(3);
    const changed = [...signature].flatMap((old, at) =>
      ['A', 'B', '-', '=', '\u0141', '\0']
        .filter((letter) => letter !== old)
        .map((letter) => signature.slice(0, at) + letter + signature.slice(at + 1)),
    );
    const cut = [signature.slice(0, -1), signature.slice(1), `${signature}A`, signature.repeat(1000)];
    const spelled = [`${signature}=`, `${signature}\n`, bytes.toString('hex'), bytes.toString('base64')];
    for (const each of [...lastChanged, ...changed, ...cut, ...spelled]) {
      expect(signer.read(UPLOAD.id, { ...rest, signature: each })).toBeNull();
    }
  });

  const impossible: readonly Partial<PresignedUpload>[] = [
    { size: -1 },
    { size: 1.5 },
    { size: 1e21 },
    { expiresAt: UPLOAD.expiresAt + 1 },
    { expiresAt: Number.NaN },
  ];
  test.each(impossible.map(shown))('cannot be made for %s', (_, change) => {
    expect(() => signer.sign({ ...UPLOAD, ...change })).toThrow(RangeError);
  });
});

testInScratch('an upload address is valid until the millisecond in which it expires', async (root) => {
  const clock = fakeClock();
  const urlOf = (id: Uuid): string => `https://media.example/uploads/${id}`;
  const uploads = await openFilePresignStorage(root, { secret: SECRET, urlOf, clock });
  const upload = { ...UPLOAD, expiresAt: clock.now() + 1000 };
  const { url, headers } = await uploads.address(upload);
  expect(headers).toEqual({ 'Content-Type': 'image/jpeg' });
  expect(url).toStartWith(`${urlOf(upload.id)}?`);
  const query = Object.fromEntries(new URL(url).searchParams);
  clock.set(upload.expiresAt - 1);
  expect(uploads.verify(upload.id, query)).toEqual(upload);
  clock.set(upload.expiresAt);
  expect(uploads.verify(upload.id, query)).toBeNull();
});
