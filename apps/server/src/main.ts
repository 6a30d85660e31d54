// The program's entry. With a certain argument it runs as the child process that decodes a picture, which loads as
// little as possible.
const [, , command, order] = process.argv;
if (command === 'serve' || command === 'worker') {
  const [{ reexecute }, { ownCommand }] = await Promise.all([
    import('./compose/host/reexecute.ts'),
    import('./compose/host/own-command.ts'),
  ]);
  reexecute(ownCommand());
}
const { DECODE, decodeImage } = await import('./compose/previews.ts');
if (command === DECODE) process.exit(await decodeImage(order ?? ''));
await import('./program.ts');

export {};
