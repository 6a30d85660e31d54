import { fileURLToPath } from 'node:url';
import { isOneFile } from '../telemetry/version.ts';

const ownCommand = (): readonly [string, ...string[]] =>
  isOneFile() ? [process.execPath] : [process.execPath, fileURLToPath(new URL('../main.ts', import.meta.url))];

/** The argument that makes this program run as a child process that decodes one image. */
export const DECODE = '__decode-image';

export const decodeCommand = (): readonly string[] => [...ownCommand(), DECODE];

export async function decodeImage(order: string): Promise<number> {
  const { decode } = await import('@postshelf/media/decode');
  return decode(order);
}
