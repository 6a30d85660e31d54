import { ownCommand } from './host/own-command.ts';

/** The command that starts this program as the child process that decodes one image. */
export const DECODE = '__decode-image';

export const decodeCommand = (): readonly string[] => [...ownCommand(), DECODE];

export async function decodeImage(order: string): Promise<number> {
  const { decode } = await import('@postshelf/media/decode');
  return decode(order);
}
