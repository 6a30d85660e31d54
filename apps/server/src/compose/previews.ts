import { ownCommand } from './host/own-command.ts';

/** Starts this program as the child which decodes one picture. */
export const DECODE = '__decode-image';

export const decodeCommand = (): readonly string[] => [...ownCommand(), DECODE];

export async function decodeImage(order: string): Promise<number> {
  const { decode } = await import('@postshelf/media/decode');
  return decode(order);
}
