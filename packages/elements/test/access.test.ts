import { describe, expect, test } from 'bun:test';
import { PostshelfError } from '@postshelf/client';
import { Access } from '../src/picker/access.ts';

const refused = (status: number) => new PostshelfError('refused', 'No.', { status });

/** A page that gives tokens `1`, `2` and so on, and a service that takes those from a number on. */
function served(goodFrom: number) {
  let given = 0;
  const access = new Access();
  access.use(async () => String(++given));
  const call = async (): Promise<string> => {
    const token = await access.token();
    if (Number(token) < goodFrom) throw refused(401);
    return token;
  };
  return { access, call, given: () => given };
}

describe('a function that gives tokens', () => {
  test.each([
    ['is asked once for as long as the service takes its token', 1, ['1', '1'], 1],
    ['is asked again once for several calls that are refused at a time', 2, ['2', '2'], 2],
    ['whose second token is refused too isn’t asked a third time by a call', 9, [401, 401], 2],
  ] as const)('%s', async (_, goodFrom, outcomes, asked) => {
    const { access, call, given } = served(goodFrom);
    const calls = await Promise.allSettled([access.attempt(call), access.attempt(call)]);
    const told = calls.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as PostshelfError).status));
    expect(told).toEqual([...outcomes]);
    expect(given()).toBe(asked);
  });

  test('is replaced when it expires, and null forgets its token', async () => {
    const { access, call } = served(1);
    await access.attempt(call);
    access.use(() => '7');
    expect(await access.attempt(call)).toBe('1');
    access.use(null);
    expect(() => access.token()).toThrow('no token');
    access.use(() => '7');
    expect(await access.attempt(call)).toBe('7');
  });

  test('that fails is asked again by the next call', async () => {
    let fails = true;
    const access = new Access();
    access.use(() => {
      if (fails) throw new Error('The page is away.');
      return 'good';
    });
    await expect(access.attempt(async () => access.token())).rejects.toThrow('The page is away.');
    fails = false;
    expect(await access.attempt(async () => access.token())).toBe('good');
  });
});

test.each([
  ['a token', 401],
  [() => 'a token', 403],
] as const)('with %p a call that is refused by %i is made once', async (token, status) => {
  const access = new Access();
  access.use(token);
  let calls = 0;
  const call = () => {
    calls += 1;
    return Promise.reject(refused(status));
  };
  await expect(access.attempt(call)).rejects.toThrow('No.');
  expect(calls).toBe(1);
});
