// The program; or, started by itself with an argument, the child that decodes a picture, which loads as little as
// possible.
import { DECODE, decodePicture } from './compose/previews.ts';

if (process.argv[2] === DECODE) process.exit(await decodePicture(process.argv[3] ?? ''));
await import('./program.ts');
