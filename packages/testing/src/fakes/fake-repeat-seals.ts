import { createHash } from 'node:crypto';
import { type KeptAnswer, parseUuid, type RepeatSeals, type Uuid } from '@postshelf/domain';

/** Encrypts nothing, but opens only for the token and key that it was sealed for. */
export function fakeRepeatSeals(): RepeatSeals {
  const idOf = (tokenId: Uuid, key: string): Uuid => {
    const hash = createHash('sha256').update(`${tokenId} ${key}`).digest('hex');
    return parseUuid(hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')) as Uuid;
  };
  return {
    idOf,
    seal: (tokenId, key, answer) => Buffer.from(JSON.stringify({ id: idOf(tokenId, key), answer })),
    open(tokenId, key, sealed) {
      const { id, answer } = JSON.parse(Buffer.from(sealed).toString()) as { id: Uuid; answer: KeptAnswer };
      if (id !== idOf(tokenId, key)) throw new Error('Sealed for another token or key.');
      return answer;
    },
  };
}
