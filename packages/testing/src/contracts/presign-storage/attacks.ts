import { describe } from 'bun:test';
import { eachRow } from '../each-row.ts';
import { sampleBytes } from '../objects/samples.ts';
import { newId } from '../samples.ts';
import {
  type Attack,
  expectRefused,
  expiredUpload,
  newUpload,
  type OpenPresign,
  SIZE,
  testPresign,
  upload,
} from './samples.ts';

/** Encodes a body in chunks, so that its length isn't declared in advance (RFC 9112 section 7.1). */
const chunked = (bytes: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n0\r\n\r\n')]);

const ATTACKS: readonly (readonly [string, Attack])[] = [
  ['a byte longer', { body: sampleBytes(SIZE + 1) }],
  ['a byte shorter', { body: sampleBytes(SIZE - 1) }],
  ['empty', { body: new Uint8Array() }],
  ['far longer', { body: sampleBytes(SIZE * 100) }],
  ['of another type', { headers: { 'Content-Type': 'text/html' } }],
  ['of another of the six types', { headers: { 'Content-Type': 'image/png' } }],
  ['of a type with a parameter', { headers: { 'Content-Type': 'image/jpeg; charset=utf-8' } }],
  ['without a type', { headers: { 'Content-Type': undefined } }],
  [
    'without a length',
    { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }, body: chunked(sampleBytes(SIZE)) },
  ],
  ['cut off on the way', { headers: { 'Content-Length': String(SIZE) }, body: sampleBytes(SIZE / 2) }],
  ['without a signature', { url: (url) => url.slice(0, url.indexOf('?')) }],
  ['by POST', { method: 'POST' }],
];

/** Checks that requests are refused if they differ in any way from the one that an address was issued for. */
export function describeAttacks(open: OpenPresign): void {
  describe('an upload address refuses', () => {
    testPresign(open, 'a file other than the one it was issued for', (opened) =>
      eachRow(ATTACKS, async (attack) => {
        const presigned = newUpload();
        await expectRefused(opened, { presigned, address: await opened.presign.address(presigned) }, attack);
      }),
    );

    testPresign(open, 'a file that is sent after it expired', async (opened) => {
      const presigned = expiredUpload();
      await expectRefused(opened, { presigned, address: await opened.presign.address(presigned) }, {});
    });

    testPresign(open, 'to be used for another id', async (opened) => {
      const [presigned, other] = [newUpload(), newId()];
      const address = await opened.presign.address(presigned);
      const attack = { url: (url: string) => url.replaceAll(presigned.id, other) };
      await expectRefused(opened, { presigned, address }, attack);
    });

    testPresign(open, 'its own signature for another file', async (opened) => {
      const [presigned, larger] = [newUpload(), newUpload({ size: SIZE * 2 })];
      const [address, other] = [await opened.presign.address(presigned), await opened.presign.address(larger)];
      const attack = {
        url: (url: string) => new URL(url).origin + new URL(url).pathname + new URL(other.url).search,
      };
      await expectRefused(opened, { presigned, address }, { ...attack, body: sampleBytes(SIZE * 2) });
      await expectRefused(opened, { presigned, address }, attack);
    });

    testPresign(open, 'a request with any part of its query changed or missing', async (opened) => {
      const presigned = newUpload();
      const address = await opened.presign.address(presigned);
      for (const name of new URL(address.url).searchParams.keys()) {
        const dropped = { url: (url: string) => changeQuery(url, name, () => null) };
        const changed = { url: (url: string) => changeQuery(url, name, (value) => otherText(value)) };
        await expectRefused(opened, { presigned, address }, dropped);
        await expectRefused(opened, { presigned, address }, changed);
      }
    });

    testPresign(open, 'to return or remove the file', async (opened) => {
      const presigned = newUpload();
      const address = await opened.presign.address(presigned);
      for (const method of ['GET', 'HEAD', 'DELETE']) {
        await expectRefused(opened, { presigned, address }, { method, body: new Uint8Array() });
      }
    });

    testPresign(open, 'an attempt without affecting an earlier or a later file', async (opened) => {
      const { presign } = opened;
      const presigned = newUpload();
      const address = await presign.address(presigned);
      await expectRefused(opened, { presigned, address }, { body: sampleBytes(SIZE + 1) });
      await upload(address, sampleBytes(SIZE, 1));
      await expectRefused(opened, { presigned, address }, { body: sampleBytes(SIZE + 1, 2) }, sampleBytes(SIZE, 1));
      const cutOff = { headers: { 'Content-Length': String(SIZE) }, body: sampleBytes(SIZE / 2, 2) };
      await expectRefused(opened, { presigned, address }, cutOff, sampleBytes(SIZE, 1));
      await upload(address, sampleBytes(SIZE, 3));
      await expectRefused(
        opened,
        { presigned, address },
        { method: 'DELETE', body: new Uint8Array() },
        sampleBytes(SIZE, 3),
      );
    });
  });
}

/** Returns the text with its last letter or digit changed. */
const otherText = (text: string): string => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');

function changeQuery(url: string, name: string, change: (value: string) => string | null): string {
  const changed = new URL(url);
  const value = change(changed.searchParams.get(name) ?? '');
  if (value === null) changed.searchParams.delete(name);
  else changed.searchParams.set(name, value);
  return changed.href;
}
