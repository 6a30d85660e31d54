import { describe, test } from 'bun:test';
import { sampleBytes } from '../objects/samples.ts';
import { newId } from '../samples.ts';
import {
  type Attack,
  expectRefused,
  expiredTicket,
  newUpload,
  type OpenUploads,
  SIZE,
  upload,
  withUploads,
} from './samples.ts';

/** Chunked transfer coding says no length ahead (RFC 9112 section 7.1). */
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

/** Every request that isn't the one that an address was issued for. */
export function describeAttacks(open: OpenUploads): void {
  describe('an address refuses', () => {
    test.each(ATTACKS)('a file %s', (_, attack) =>
      withUploads(open, async (opened) => {
        const ticket = newUpload();
        await expectRefused(opened, { ticket, address: await opened.uploads.address(ticket) }, attack);
      })(),
    );

    test(
      'what comes after it expired',
      withUploads(open, async (opened) => {
        const ticket = expiredTicket();
        await expectRefused(opened, { ticket, address: await opened.uploads.address(ticket) }, {});
      }),
    );

    test(
      'to be used for another id',
      withUploads(open, async (opened) => {
        const [ticket, other] = [newUpload(), newId()];
        const address = await opened.uploads.address(ticket);
        const attack = { url: (url: string) => url.replaceAll(ticket.id, other) };
        await expectRefused(opened, { ticket, address }, attack);
      }),
    );

    test(
      "to lend its signature to another's file",
      withUploads(open, async (opened) => {
        const [ticket, larger] = [newUpload(), newUpload({ size: SIZE * 2 })];
        const [address, other] = [await opened.uploads.address(ticket), await opened.uploads.address(larger)];
        const attack = {
          url: (url: string) => new URL(url).origin + new URL(url).pathname + new URL(other.url).search,
        };
        await expectRefused(opened, { ticket, address }, { ...attack, body: sampleBytes(SIZE * 2) });
        await expectRefused(opened, { ticket, address }, attack);
      }),
    );

    test(
      'to have any part of its query changed or dropped',
      withUploads(open, async (opened) => {
        const ticket = newUpload();
        const address = await opened.uploads.address(ticket);
        for (const name of new URL(address.url).searchParams.keys()) {
          const dropped = { url: (url: string) => changeQuery(url, name, () => null) };
          const changed = { url: (url: string) => changeQuery(url, name, (value) => otherText(value)) };
          await expectRefused(opened, { ticket, address }, dropped);
          await expectRefused(opened, { ticket, address }, changed);
        }
      }),
    );

    test(
      'to give the file back, or to remove it',
      withUploads(open, async (opened) => {
        const ticket = newUpload();
        const address = await opened.uploads.address(ticket);
        for (const method of ['GET', 'HEAD', 'DELETE']) {
          await expectRefused(opened, { ticket, address }, { method, body: new Uint8Array() });
        }
      }),
    );

    test(
      'only what it must: a refused attempt spoils neither the file that came before nor the one that comes after',
      withUploads(open, async (opened) => {
        const { uploads } = opened;
        const ticket = newUpload();
        const address = await uploads.address(ticket);
        await expectRefused(opened, { ticket, address }, { body: sampleBytes(SIZE + 1) });
        await upload(address, sampleBytes(SIZE, 1));
        await expectRefused(opened, { ticket, address }, { body: sampleBytes(SIZE + 1, 2) }, sampleBytes(SIZE, 1));
        const cutOff = { headers: { 'Content-Length': String(SIZE) }, body: sampleBytes(SIZE / 2, 2) };
        await expectRefused(opened, { ticket, address }, cutOff, sampleBytes(SIZE, 1));
        await upload(address, sampleBytes(SIZE, 3));
        await expectRefused(
          opened,
          { ticket, address },
          { method: 'DELETE', body: new Uint8Array() },
          sampleBytes(SIZE, 3),
        );
      }),
    );
  });
}

/** The last letter or digit becomes another one. */
const otherText = (text: string): string => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');

function changeQuery(url: string, name: string, change: (value: string) => string | null): string {
  const changed = new URL(url);
  const value = change(changed.searchParams.get(name) ?? '');
  if (value === null) changed.searchParams.delete(name);
  else changed.searchParams.set(name, value);
  return changed.href;
}
