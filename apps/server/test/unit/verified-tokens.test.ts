import { beforeEach, describe, expect, test } from 'bun:test';
import { TOKEN_ISSUER, type TokenClaims, type TokenSigner } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { type FakeClock, fakeClock } from '@postshelf/testing/fakes';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { cacheVerifiedTokens } from '../../src/compose/verified-tokens.ts';

const MAX_REMEMBERED = 10_000;
const HOUR = 3_600_000;

let clock: FakeClock;
let claims: TokenClaims;
/** The texts that the signer was asked to verify. It accepts every text that begins with `good`. */
let asked: string[];
let cached: TokenSigner;

beforeEach(() => {
  clock = fakeClock();
  const id = newId();
  claims = { iss: TOKEN_ISSUER, sub: id, jti: id, exp: (clock.now() + HOUR) / 1000 };
  asked = [];
  const signer: TokenSigner = {
    sign: async ({ jti }) => `signed ${jti}`,
    async verify(token) {
      asked.push(token);
      if (token === 'good in the end' && asked.length === 1) throw new Error('out of reach');
      return token.startsWith('good') ? claims : null;
    },
  };
  cached = cacheVerifiedTokens(signer, clock);
});

describe('the cache of verified tokens', () => {
  test('verifies each spelling of a valid token once, and an invalid token each time', async () => {
    for (const token of ['good', 'good', 'good ', 'good']) expect(await cached.verify(token)).toEqual(claims);
    for (const token of ['bad', 'bad']) expect(await cached.verify(token)).toBeNull();
    expect(asked).toEqual(['good', 'good ', 'bad', 'bad']);
  });

  test('verifies a token again if the signer failed', async () => {
    expect(await outcomeOf(cached.verify('good in the end'))).toThrow('out of reach');
    expect(await cached.verify('good in the end')).toEqual(claims);
  });

  test('rejects a token when it expires, and verifies it again if the clock is set back', async () => {
    await cached.verify('good');
    clock.advance(HOUR - 1);
    expect(await cached.verify('good')).toEqual(claims);
    clock.advance(1);
    expect(await cached.verify('good')).toBeNull();
    clock.advance(-HOUR);
    expect(await cached.verify('good')).toEqual(claims);
    expect(asked).toEqual(['good', 'good']);
  });

  test('holds 10,000 valid tokens, and evicts the least recently used first', async () => {
    for (let index = 0; index <= MAX_REMEMBERED; index += 1) await cached.verify(`good ${index}`);
    for (let index = 0; index < 2 * MAX_REMEMBERED; index += 1) await cached.verify(`guess ${index}`);
    asked.length = 0;
    await cached.verify('good 1');
    await cached.verify(`good ${MAX_REMEMBERED}`);
    expect(asked).toEqual([]);
    await cached.verify('good 0');
    expect(asked).toEqual(['good 0']);
  });

  test('delegates signing to the signer', async () => {
    expect(await cached.sign(claims)).toBe(`signed ${claims.jti}`);
  });
});
