// Replaces the program that is started as the decoding child: `bun decode-program.ts ORDER < PICTURE`.
import { decode } from '../../src/decoder/main.ts';

process.exit(await decode(process.argv[2] ?? ''));
