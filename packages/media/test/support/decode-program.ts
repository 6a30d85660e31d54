// What a program does that is told to be the child which decodes: `bun decode-program.ts ORDER < PICTURE`.
import { decode } from '../../src/previews/decode.ts';

process.exit(await decode(process.argv[2] ?? ''));
