import { Random } from '@postshelf/harness';

const BOUNDARY = 'postshelf-benchmark-0123456789abcdef';
const MIB = 1024 * 1024;

/** The maximum number of bytes of a file in a multipart upload. */
const LARGE = 200 * MIB;

/** A JPEG of nearly 100,000 bytes. */
const PHOTO = { width: 680, height: 510, quality: 80 };

/** A JPEG of nearly 6,000,000 bytes: 12 megapixels, like photos from a phone. */
const CAMERA_PHOTO = { width: 4000, height: 3000, quality: 91 };

/** Bytes of the headers of a bitmap (BITMAPFILEHEADER, BITMAPINFOHEADER). */
const HEADERS = 54;

export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

/** Returns the bytes of a multipart form up to a file's content (RFC 7578 section 4). */
export const partHead = (fileName: string): string =>
  `\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="files[]"; filename="${fileName}"\r\n` +
  'Content-Type: application/octet-stream\r\n\r\n';

export const partEnd = `\r\n--${BOUNDARY}--\r\n`;

export const makePhoto = (): Promise<Uint8Array> =>
  makeGrain(PHOTO.width, PHOTO.height).jpeg({ quality: PHOTO.quality }).bytes();

/** Makes an image of noise, because uniform areas would compress to almost nothing. */
export function makeGrain(width: number, height: number): Bun.Image {
  const random = new Random(1);
  return new Bun.Image(
    bitmap(
      width,
      height,
      Uint8Array.from({ length: width * height * 3 }, () => 100 + random.below(64)),
    ),
  );
}

/**
 * Returns a bitmap.
 *
 * @param colours three bytes a pixel; a row's length is a multiple of 4 bytes
 */
export function bitmap(width: number, height: number, colours: Uint8Array | Uint8ClampedArray): Uint8Array {
  const file = Buffer.alloc(HEADERS + colours.length);
  file.write('BM');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(HEADERS, 10);
  file.writeUInt32LE(HEADERS - 14, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  file.set(colours, HEADERS);
  return file;
}

export const photoBody = async (): Promise<Buffer<ArrayBuffer>> => bodyOf(await makePhoto());

export async function cameraPhotoBody(): Promise<Buffer<ArrayBuffer>> {
  const { width, height, quality } = CAMERA_PHOTO;
  return bodyOf(await makeGrain(width, height).jpeg({ quality }).bytes());
}

const bodyOf = (photo: Uint8Array): Buffer<ArrayBuffer> =>
  Buffer.concat([Buffer.from(partHead('photo.jpg')), photo, Buffer.from(partEnd)]);

/**
 * Returns the chunks of a multipart body with this many files of 200 MiB. Each file is a JPEG followed by random bytes,
 * because a file system could store zeros as a hole.
 */
export async function largeFiles(files: number): Promise<Iterable<Uint8Array>> {
  const photo = await makePhoto();
  const filling = crypto.getRandomValues(new Uint8Array(MIB / 16));
  const chunk = Buffer.concat(Array.from({ length: 16 }, () => filling));
  return chunks(files, photo, chunk);
}

function* chunks(files: number, photo: Uint8Array, filling: Uint8Array): Generator<Uint8Array> {
  for (let nth = 0; nth < files; nth++) {
    yield Buffer.from(partHead(`${nth}.jpg`));
    yield photo;
    yield filling.subarray(photo.length);
    for (let sent = filling.length; sent < LARGE; sent += filling.length) yield filling;
  }
  yield Buffer.from(partEnd);
}

/** Returns a body that consists of the chunks, which are made while the body is sent. */
export function streamOf(chunks: Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}
