// The program; or, told so by itself, the child that decodes a picture for it, which takes and loads as little as it can.
import { DECODE, decodePicture } from './compose/previews.ts';

if (process.argv[2] === DECODE) process.exit(await decodePicture(process.argv[3] ?? ''));
await import('./program.ts');
