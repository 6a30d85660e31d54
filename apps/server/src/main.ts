// The program's entry. With a certain argument it runs as the child process that decodes a picture, which loads as
// little as possible.
const [, , command, order] = process.argv;
if (command === 'serve' || command === 'worker') {
  const [{ startAnew }, { ownCommand }] = await Promise.all([
    import('./compose/host/start-anew.ts'),
    import('./compose/host/own-command.ts'),
  ]);
  startAnew(ownCommand());
}
const { DECODE, decodePicture } = await import('./compose/previews.ts');
if (command === DECODE) process.exit(await decodePicture(order ?? ''));
await import('./program.ts');

export {};
