// The program; or, started by itself with an argument, the child that decodes a picture, which loads as little as
// possible.
const [, , command, order] = process.argv;
if (command === 'serve' || command === 'worker') {
  // Before any file is read on another thread, which `import` does and `require` doesn't.
  const {
    allowDiskThreads,
  }: typeof import('./compose/host/disk-threads.ts') = require('./compose/host/disk-threads.ts');
  allowDiskThreads();
}
const { DECODE, decodePicture } = await import('./compose/previews.ts');
if (command === DECODE) process.exit(await decodePicture(order ?? ''));
await import('./program.ts');

export {};
