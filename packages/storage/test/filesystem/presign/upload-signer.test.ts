import { describe, expect, test } from 'bun:test';
import { createHmac, hkdfSync } from 'node:crypto';
import { MEDIA_TYPES, type PresignedUpload, type Uuid } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { fakeClock } from '@postshelf/testing/fakes';
import fc from 'fast-check';
import { UploadSigner } from '../../../src/filesystem/presign/upload-signer.ts';
import { openFilePresignStorage } from '../../../src/index.ts';
import { withScratch } from '../../support/scratch.ts';
import { SECRET } from '../../support/uploads.ts';

const UPLOAD: PresignedUpload = { id: newId(), size: 1234, type: 'image/jpeg', expiresAt: Date.UTC(2026, 0, 15, 13) };
const signer = new UploadSigner(SECRET);
const signed = (presigned = UPLOAD): Record<string, string> => Object.fromEntries(signer.sign(presigned));

describe('a signed address', () => {
  test('gives back the presigned upload', () => {
    expect(signer.read(UPLOAD.id, signed())).toEqual(UPLOAD);
    expect(new UploadSigner(SECRET).read(UPLOAD.id, signed())).toEqual(UPLOAD);
  });

  test('gives back every presigned upload', () => {
    const types = Object.keys(MEDIA_TYPES) as PresignedUpload['type'][];
    const uploads = fc.record({
      id: fc.uuid().map((id) => id as Uuid),
      size: fc.nat(2 ** 31),
      type: fc.constantFrom(...types),
      expiresAt: fc.nat(2 ** 31).map((seconds) => seconds * 1000),
    });
    fc.assert(
      fc.property(uploads, (presigned) => expect(signer.read(presigned.id, signed(presigned))).toEqual(presigned)),
    );
  });

  test('is in its query what it is in RFC 2104, under a key of its own', () => {
    const key = Buffer.from(hkdfSync('sha256', SECRET, '', 'postshelf upload address', 32));
    const text = `v1\n${UPLOAD.id}\n1234\nimage/jpeg\n1768482000`;
    expect(signed()).toEqual({
      expires: '1768482000',
      size: '1234',
      type: 'image/jpeg',
      signature: createHmac('sha256', key).update(text).digest('base64url'),
    });
  });

  test('is none without the secret, nor with the secret as the key', () => {
    expect(new UploadSigner(`${SECRET} `).read(UPLOAD.id, signed())).toBeNull();
    const text = `v1\n${UPLOAD.id}\n1234\nimage/jpeg\n1768482000`;
    const signature = createHmac('sha256', SECRET).update(text).digest('base64url');
    expect(signer.read(UPLOAD.id, { ...signed(), signature })).toBeNull();
  });

  test.each([
    ['a size, one more', { size: '1235' }],
    ['a size, one less', { size: '1233' }],
    ['a size with a sign', { size: '+1234' }],
    ['a size with a zero before', { size: '01234' }],
    ['a size with a fraction', { size: '1234.0' }],
    ['a size with an exponent', { size: '1.234e3' }],
    ['a size in hexadecimal', { size: '0x4d2' }],
    ['a size with white space', { size: ' 1234' }],
    ['a size with a line end', { size: '1234\n' }],
    ['a size in other digits', { size: '\u0661\u0662\u0663\u0664' }],
    ['a size below nothing', { size: '-1234' }],
    ['a size beyond counting', { size: '9'.repeat(400) }],
    ['no size', { size: '' }],
    ['an expiry a second later', { expires: '1768482001' }],
    ['an expiry with a zero before', { expires: '01768482000' }],
    ['an expiry with a fraction', { expires: '1768482000.0' }],
    ['no number as the expiry', { expires: 'NaN' }],
    ['an endless expiry', { expires: 'Infinity' }],
    ['no expiry', { expires: '' }],
    ['another of the six types', { type: 'image/png' }],
    ['a type that is none of them', { type: 'text/html' }],
    ['a type in capitals', { type: 'IMAGE/JPEG' }],
    ['a type with a parameter', { type: 'image/jpeg;a=b' }],
    ['the name of a prototype as the type', { type: '__proto__' }],
    ['no type', { type: '' }],
    ['values that run into each other', { size: '123', type: '4\nimage/jpeg' }],
    ['values that changed places', { size: '1768482000', expires: '1234' }],
    ['no signature', { signature: '' }],
    ['a field more', { more: '1' }],
    ['the id as a field', { id: UPLOAD.id }],
  ])('with %s is refused', (_, change) => {
    expect(signer.read(UPLOAD.id, { ...signed(), ...change })).toBeNull();
  });

  test.each(['expires', 'size', 'type', 'signature'])('without %s is refused', (field) => {
    const { [field]: _, ...rest } = signed();
    expect(signer.read(UPLOAD.id, rest)).toBeNull();
    expect(signer.read(UPLOAD.id, { ...rest, [field.toUpperCase()]: signed()[field] ?? '' })).toBeNull();
  });

  test('is refused for another id, also with the signature that the other one has', () => {
    const other = { ...UPLOAD, id: newId() };
    expect(signer.read(other.id, signed())).toBeNull();
    expect(signer.read(UPLOAD.id, signed(other))).toBeNull();
    expect(signer.read(UPLOAD.id.toUpperCase() as Uuid, signed())).toBeNull();
  });

  test('is refused with any one letter of its signature changed', () => {
    const { signature = '', ...rest } = signed();
    expect(signature).toHaveLength(43);
    for (let index = 0; index < signature.length; index += 1) {
      for (const letter of ['A', 'B', '-', '=', '\u0141', '\0']) {
        if (letter === signature[index]) continue;
        const changed = signature.slice(0, index) + letter + signature.slice(index + 1);
        expect(signer.read(UPLOAD.id, { ...rest, signature: changed })).toBeNull();
      }
    }
  });

  test('is refused with a signature that stands for the same bytes, in another spelling', () => {
    const { signature = '', ...rest } = signed();
    const bytes = Buffer.from(signature, 'base64url');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const twins = [...alphabet]
      .map((letter) => signature.slice(0, -1) + letter)
      .filter((twin) => twin !== signature && Buffer.from(twin, 'base64url').equals(bytes));
    expect(twins).toHaveLength(3);
    const spellings = [...twins, `${signature}=`, `${signature}\n`, bytes.toString('hex'), bytes.toString('base64')];
    for (const spelling of spellings) {
      expect(signer.read(UPLOAD.id, { ...rest, signature: spelling })).toBeNull();
    }
  });

  test('is refused with a signature cut or extended', () => {
    const { signature = '', ...rest } = signed();
    for (const changed of [signature.slice(0, -1), signature.slice(1), `${signature}A`, signature.repeat(1000)]) {
      expect(signer.read(UPLOAD.id, { ...rest, signature: changed })).toBeNull();
    }
  });

  test.each([
    ['a size below nothing', { size: -1 }],
    ['half a byte', { size: 1.5 }],
    ['a size beyond counting', { size: 1e21 }],
    ['an expiry within a second', { expiresAt: UPLOAD.expiresAt + 1 }],
    ['no expiry', { expiresAt: Number.NaN }],
  ])('is not made for a presigned upload with %s', (_, change) => {
    expect(() => signer.sign({ ...UPLOAD, ...change })).toThrow(RangeError);
  });
});

test(
  'an address is good until the millisecond in which it expires',
  withScratch(async (root) => {
    const clock = fakeClock();
    const urlOf = (id: Uuid): string => `https://media.example/uploads/${id}`;
    const uploads = await openFilePresignStorage(root, { secret: SECRET, urlOf, clock });
    const presigned = { ...UPLOAD, expiresAt: clock.now() + 1000 };
    const { url, headers } = await uploads.address(presigned);
    expect(headers).toEqual({ 'Content-Type': 'image/jpeg' });
    expect(url).toStartWith(`${urlOf(presigned.id)}?`);
    const query = Object.fromEntries(new URL(url).searchParams);
    clock.set(presigned.expiresAt - 1);
    expect(uploads.verify(presigned.id, query)).toEqual(presigned);
    clock.set(presigned.expiresAt);
    expect(uploads.verify(presigned.id, query)).toBeNull();
    clock.set(presigned.expiresAt + 1);
    expect(uploads.verify(presigned.id, query)).toBeNull();
  }),
);
