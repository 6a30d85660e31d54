import { ownCommand } from './host/own-command.ts';

/** The argument that starts this program as the child which decodes one picture; not a command for users. */
export const DECODE = '__decode-image';

/** The command that starts that child; the order is appended. */
export const decodeCommand = (): readonly string[] => [...ownCommand(), DECODE];

/** Runs as that child. @returns the exit code */
export async function decodeImage(order: string): Promise<number> {
  const { decode } = await import('@postshelf/media/decode');
  return decode(order);
}
