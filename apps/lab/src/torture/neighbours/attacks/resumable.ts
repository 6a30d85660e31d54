import type { Entry } from '@postshelf/harness';
import { SlowClient } from '@postshelf/harness/slow-client';
import { costlyVideo } from '@postshelf/testing/fixtures';
import type { Attack } from './attack.ts';
import { authorization, flood, keepOpen } from './requests.ts';

const PATCHES = 100;
const TRICKLES = 400;
const HEADS = 50;
const VIDEOS = 10;
const SIZE = 1_000_000_000;
/** A rate that is higher than `UPLOAD_MIN_BYTES_PER_SECOND`. */
const TRICKLE = { piece: Buffer.alloc(1300), pause: 250 };
/** Number of boxes of 8 bytes. */
const BOXES = 500_000;

/** Returns a video whose `moov` box contains nothing but empty boxes. */
function manyBoxes(): Buffer<ArrayBuffer> {
  const boxes = Buffer.from('\0\0\0\x08free'.repeat(BOXES), 'latin1');
  const [type, size] = [Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1'), Buffer.alloc(4)];
  size.writeUInt32BE(boxes.length + 8);
  return Buffer.concat([type, size, Buffer.from('moov'), boxes]);
}

/** Sends tus requests that are slow, frequent or costly. */
export const resumable: Attack = {
  name: 'resumable',
  about: `${PATCHES} resumable uploads of one byte at a time, ${TRICKLES} that trickle, ${HEADS} whose offsets are requested repeatedly, and ${VIDEOS} concurrent ones of hostile videos`,
  surroundings: { descriptors: 65_536 },
  async prepare({ root, port, attackers: [one, other] }) {
    const commonOf = (attacker: Entry) => ({ ...authorization(attacker), 'Tus-Resumable': '1.0.0' });
    const common = commonOf(one);
    const type = { 'Content-Type': 'application/offset+octet-stream' };
    const creation = (size: number) => ({ 'Upload-Length': String(size), 'Upload-Metadata': 'filename YS5tcDQ=' });
    const urlOf = ({ workspace }: Entry): string => `${root}/v1/workspaces/${workspace}/uploads`;
    const create = async (attacker: Entry): Promise<string> => {
      const given = { method: 'POST', headers: { ...commonOf(attacker), ...creation(SIZE) } };
      const { status, headers } = await fetch(urlOf(attacker), given);
      if (status !== 201) throw new Error(`An upload was answered with ${status}.`);
      return `${root}/v1/uploads/${headers.get('location')?.split('/').at(-1)}`;
    };
    const uploads: { readonly url: string; offset: number }[] = [];
    while (uploads.length < PATCHES + TRICKLES) {
      // The trickling uploads belong to the second attacker. In the first attacker's workspace, they would occupy all
      // upload slots.
      const attacker = uploads.length < PATCHES ? one : other;
      uploads.push({ url: await create(attacker), offset: 0 });
    }
    const videos = [new Blob([Buffer.from(await costlyVideo())]), new Blob([Buffer.from(manyBoxes())])];
    const patch = async (nth: number, signal: AbortSignal): Promise<void> => {
      const upload = uploads[nth];
      while (upload && !signal.aborted) {
        const headers = { ...common, ...type, 'Upload-Offset': String(upload.offset) };
        const sent = await fetch(upload.url, { method: 'PATCH', headers, body: 'x', signal }).catch(() => null);
        if (sent?.status === 204) upload.offset += 1;
        else await Bun.sleep(100);
      }
    };
    const trickling = (nth: number): string => {
      const headers = { ...commonOf(other), ...type, 'Upload-Offset': '0', Host: '127.0.0.1', 'Content-Length': SIZE };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      return `PATCH ${new URL(uploads[PATCHES + nth]?.url ?? '').pathname} HTTP/1.1\r\n${lines.join('')}\r\n`;
    };
    return async (signal) => {
      const [trickled, asked, videosSent] = await Promise.all([
        keepOpen(TRICKLES, signal, (nth) => SlowClient.open(port, trickling(nth), { trickle: TRICKLE })),
        flood(HEADS, signal, (lane) => ({ url: uploads[lane]?.url ?? '', init: { method: 'HEAD', headers: common } })),
        flood(VIDEOS, signal, (lane) => {
          const video = videos[lane % videos.length] ?? new Blob();
          const headers = { ...common, ...type, ...creation(video.size) };
          return { url: urlOf(one), init: { method: 'POST', headers, body: video } };
        }),
        ...Array.from({ length: PATCHES }, (_, nth) => patch(nth, signal)),
      ]);
      const patched = uploads.reduce((sum, { offset }) => sum + offset, 0);
      const named = { trickled, asked, videosSent };
      return [
        { what: 'bytes patched', value: String(patched), isKept: null },
        ...Object.entries(named).flatMap(([name, found]) => found.map((one) => ({ ...one, what: name }))),
      ];
    };
  },
};
