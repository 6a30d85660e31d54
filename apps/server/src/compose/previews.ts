import { fileURLToPath } from 'node:url';
import { isOneFile } from '../telemetry/version.ts';

/** The argument that starts this program as the child which decodes one picture; not a command for users. */
export const DECODE = '__decode-picture';

/** The command that starts it; the order is appended. */
export const decodeCommand = (): readonly string[] => {
  const program = isOneFile() ? [] : [fileURLToPath(new URL('../main.ts', import.meta.url))];
  return [process.execPath, ...program, DECODE];
};

/** Runs as that child. @returns the exit code */
export async function decodePicture(order: string): Promise<number> {
  const { decode } = await import('@postshelf/media/decode');
  return decode(order);
}
