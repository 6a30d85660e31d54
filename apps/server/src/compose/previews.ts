import { fileURLToPath } from 'node:url';
import { isOneFile } from '../telemetry/version.ts';

/** The argument that makes this program the child which decodes one picture; no command of users'. */
export const DECODE = '__decode-picture';

/** Words that start it; the order follows. */
export const decodeCommand = (): readonly string[] => {
  const program = isOneFile() ? [] : [fileURLToPath(new URL('../main.ts', import.meta.url))];
  return [process.execPath, ...program, DECODE];
};

/** What it does then. @returns the exit code */
export async function decodePicture(order: string): Promise<number> {
  const { decode } = await import('@postshelf/media/decode');
  return decode(order);
}
