import { join } from 'node:path';

/** The position of the index (the `moov` box). Editors and most apps write it `first`, cameras write it `last`. */
export type IndexPlace = 'first' | 'last';

/**
 * Encoder arguments for a video like a phone's: five seconds of noise in full HD, with a key frame each second, at 25
 * Mbit/s.
 */
const FRAMES = ['-f', 'lavfi', '-i', 'testsrc2=size=1920x1080:rate=30:duration=5,noise=alls=14:allf=t'];
const RATE = ['-b:v', '24M', '-maxrate', '30M', '-bufsize', '15M'];
const CODED = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', ...RATE, '-pix_fmt', 'yuv420p'];

const MIB = 1024 * 1024;

/**
 * Makes a video of the given size; returns null if ffmpeg isn't installed. Encoding 200 MB would take minutes, so the
 * video has only a few seconds of frames, followed, in the same box, by bytes that belong to no frame.
 */
export async function makeVideo(folder: string, bytes: number, place: IndexPlace): Promise<Bun.BunFile | null> {
  const ffmpeg = Bun.which('ffmpeg');
  if (ffmpeg === null) return null;
  const seed = join(folder, `seed-${place}.mp4`);
  const index = place === 'first' ? ['-movflags', '+faststart'] : [];
  const child = Bun.spawn([ffmpeg, '-v', 'error', ...FRAMES, ...CODED, ...index, seed], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if ((await child.exited) !== 0) throw new Error('ffmpeg failed to make a video.');
  const video = Bun.file(join(folder, `video-${place}.mp4`));
  await stretch(Buffer.from(await Bun.file(seed).bytes()), bytes, video);
  return video;
}

/** Writes the video with its media data (`mdat`) filled up to the given size. */
async function stretch(seed: Buffer, size: number, video: Bun.BunFile): Promise<void> {
  const start = mediaDataOf(seed);
  const length = seed.readUInt32BE(start);
  const more = Math.max(0, size - seed.length);
  seed.writeUInt32BE(length + more, start);
  const filling = crypto.getRandomValues(new Uint8Array(MIB / 16));
  const chunk = Buffer.concat(Array.from({ length: 16 }, () => filling));
  const writer = video.writer();
  writer.write(seed.subarray(0, start + length));
  for (let left = more; left > 0; left -= chunk.length) {
    writer.write(chunk.subarray(0, left));
    await writer.flush();
  }
  writer.write(seed.subarray(start + length));
  await writer.end();
}

/** Returns the offset of the top-level box `mdat` (ISO/IEC 14496-12, section 4.2). */
function mediaDataOf(video: Buffer): number {
  for (let at = 0; at + 8 <= video.length; at += video.readUInt32BE(at)) {
    if (video.toString('latin1', at + 4, at + 8) === 'mdat') return at;
  }
  throw new Error('The video has no media data.');
}
