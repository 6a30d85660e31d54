// With the argument DECODE, this is the child process that decodes an image. It loads as few modules as possible.
const [, , command, order] = process.argv;
const { DECODE, decodeImage } = await import('./compose/previews.ts');
if (command === DECODE) process.exit(await decodeImage(order ?? ''));
await import('./program.ts');

export {};
