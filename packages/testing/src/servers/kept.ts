/**
 * Starts, then waits for its standard input to end, which it does when this process ends, however that comes; then
 * stops. An interrupt from the keyboard goes to the whole group and must not end it before.
 */
const KEEP = `trap '' INT TERM HUP; "$0/start.sh" "$1" && cat >/dev/null; "$0/stop.sh" "$1" >/dev/null 2>&1`;

/**
 * Runs a server for as long as this process lives, by `start.sh DIRECTORY` and `stop.sh DIRECTORY` of a folder of
 * scripts, and answers the settings (`NAME=value`) that the first prints.
 *
 * @param last the name of the last setting
 */
export async function keepRunning(
  scripts: string,
  directory: string,
  last: string,
): Promise<Readonly<Record<string, string>>> {
  const keeper = Bun.spawn(['bash', '-c', KEEP, scripts, directory], { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' });
  const settings = await readSettings(keeper.stdout, last);
  // Not before: while a test file waits for what nothing keeps it alive for, Bun asks again and again, on a whole processor.
  keeper.unref();
  if (settings[last]) return settings;
  throw new Error(`${scripts}/start.sh failed: ${await new Response(keeper.stderr).text()}`);
}

/** What the script printed, up to its last line or its end. */
async function readSettings(output: ReadableStream<Uint8Array>, last: string): Promise<Record<string, string>> {
  const isLast = new RegExp(`^${last}=.*\\n`, 'm');
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true });
    if (isLast.test(text)) break;
  }
  return Object.fromEntries(Array.from(text.matchAll(/^(\w+)=(.*)$/gm), ([, name = '', value = '']) => [name, value]));
}
