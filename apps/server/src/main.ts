// The program; or, told so by itself, the child that decodes a picture for it, which takes and loads as little as it can.
const [, , command, order] = process.argv;
if (command === 'serve' || command === 'worker') {
  // Before any file is read beside this thread, which `import` does and `require` doesn't.
  const {
    allowDiskThreads,
  }: typeof import('./compose/host/disk-threads.ts') = require('./compose/host/disk-threads.ts');
  allowDiskThreads();
}
const { DECODE, decodePicture } = await import('./compose/previews.ts');
if (command === DECODE) process.exit(await decodePicture(order ?? ''));
await import('./program.ts');

export {};
