import { describe, expect, test } from 'bun:test';
import { TOKEN_ISSUER, type TokenClaims, type TokenSigner } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { fakeClock } from '@postshelf/testing/fakes';
import { cacheVerifiedTokens } from '../../src/compose/verified-tokens.ts';

const MAX_REMEMBERED = 10_000;
const clock = fakeClock();
const HOUR = 3600;

const claims = (): TokenClaims => {
  const id = newId();
  return { iss: TOKEN_ISSUER, sub: id, jti: id, exp: clock.now() / 1000 + HOUR };
};

/** A signer that counts how often it is asked; every text that begins with `good` is a token. */
function counting(): TokenSigner & { readonly asked: string[] } {
  const asked: string[] = [];
  const known = claims();
  return {
    asked,
    sign: async ({ jti }) => `signed ${jti}`,
    verify: async (token) => {
      asked.push(token);
      return token.startsWith('good') ? known : null;
    },
  };
}

describe('remembering verified tokens', () => {
  test('asks once for a token that is good', async () => {
    const signer = counting();
    const remembering = cacheVerifiedTokens(signer, clock);
    const first = await remembering.verify('good');
    expect(first).not.toBeNull();
    expect(await remembering.verify('good')).toEqual(first);
    expect(signer.asked).toEqual(['good']);
  });

  test('tells tokens apart by every character', async () => {
    const signer = counting();
    const remembering = cacheVerifiedTokens(signer, clock);
    await remembering.verify('good');
    expect(await remembering.verify('bad')).toBeNull();
    await remembering.verify('good ');
    expect(signer.asked).toEqual(['good', 'bad', 'good ']);
  });

  test('does not remember refused texts', async () => {
    const signer = counting();
    const remembering = cacheVerifiedTokens(signer, clock);
    expect(await remembering.verify('bad')).toBeNull();
    expect(await remembering.verify('bad')).toBeNull();
    expect(signer.asked).toEqual(['bad', 'bad']);
  });

  test('does not remember what could not be verified', async () => {
    const signer = counting();
    let fails = true;
    const remembering = cacheVerifiedTokens(
      {
        ...signer,
        verify: async (token) => {
          if (fails) throw new Error('out of reach');
          return signer.verify(token);
        },
      },
      clock,
    );
    await expect(remembering.verify('good')).rejects.toThrow('out of reach');
    fails = false;
    expect(await remembering.verify('good')).not.toBeNull();
  });

  test('refuses a remembered token at the moment it expires', async () => {
    const time = fakeClock();
    const expiring = { ...claims(), exp: time.now() / 1000 + HOUR };
    const remembering = cacheVerifiedTokens({ ...counting(), verify: async () => expiring }, time);
    expect(await remembering.verify('good')).toEqual(expiring);
    time.advance(HOUR * 1000 - 1);
    expect(await remembering.verify('good')).toEqual(expiring);
    time.advance(1);
    expect(await remembering.verify('good')).toBeNull();
  });

  test('asks again about a token that it let go as expired, since the clock may have been wrong', async () => {
    const time = fakeClock();
    const signer = counting();
    const remembering = cacheVerifiedTokens(signer, time);
    await remembering.verify('good');
    time.advance(2 * HOUR * 1000);
    expect(await remembering.verify('good')).toBeNull();
    time.advance(-2 * HOUR * 1000);
    expect(await remembering.verify('good')).not.toBeNull();
    expect(signer.asked).toEqual(['good', 'good']);
  });

  test('holds ten thousand and lets the least recently used go first', async () => {
    const signer = counting();
    const remembering = cacheVerifiedTokens(signer, clock);
    for (let index = 0; index <= MAX_REMEMBERED; index += 1) await remembering.verify(`good ${index}`);
    const before = signer.asked.length;
    await remembering.verify('good 1');
    await remembering.verify(`good ${MAX_REMEMBERED}`);
    expect(signer.asked.length).toBe(before);
    await remembering.verify('good 0');
    expect(signer.asked.length).toBe(before + 1);
  });

  test('is not pushed out by guesses', async () => {
    const signer = counting();
    const remembering = cacheVerifiedTokens(signer, clock);
    await remembering.verify('good');
    for (let index = 0; index < 2 * MAX_REMEMBERED; index += 1) await remembering.verify(`guess ${index}`);
    const before = signer.asked.length;
    await remembering.verify('good');
    expect(signer.asked.length).toBe(before);
  });

  test('signs as the signer does', async () => {
    const signed = claims();
    expect(await cacheVerifiedTokens(counting(), clock).sign(signed)).toBe(`signed ${signed.jti}`);
  });
});
