// As a certain argument says, the child process that decodes a picture, which loads as little as possible.
const [, , command, order] = process.argv;
const { DECODE, decodeImage } = await import('./compose/previews.ts');
if (command === DECODE) process.exit(await decodeImage(order ?? ''));
await import('./program.ts');

export {};
