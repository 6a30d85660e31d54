// The work of the service's child process, done by sharp: reads one image from standard input, and writes its preview
// to standard output.
import sharp from 'sharp';
import { SIZE } from './order.ts';

const image = await Bun.stdin.bytes();
const made = await sharp(image)
  .rotate()
  .resize(SIZE.width, SIZE.height, { fit: 'fill' })
  .webp({ quality: 70 })
  .toBuffer();
await Bun.write(Bun.stdout, made);
