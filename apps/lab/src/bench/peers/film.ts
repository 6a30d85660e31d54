import { join } from 'node:path';

/** A film of grain of so many bytes, as a file, the index behind its pictures as cameras write it; null where there is no ffmpeg. */
export async function makeFilm(folder: string, bytes: number): Promise<Bun.BunFile | null> {
  const ffmpeg = Bun.which('ffmpeg');
  if (ffmpeg === null) return null;
  const path = join(folder, 'film.mp4');
  const grain = 'testsrc2=size=1280x720:rate=25,noise=alls=60:allf=t';
  const child = Bun.spawn(
    [
      ...[ffmpeg, '-v', 'error', '-f', 'lavfi', '-i', grain, '-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '8'],
      ...['-pix_fmt', 'yuv420p', '-fs', String(bytes), path],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if ((await child.exited) !== 0) throw new Error('ffmpeg made no film.');
  return Bun.file(path);
}
