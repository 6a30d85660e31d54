import { describe, expect, test } from 'bun:test';
import { PostshelfError } from '@postshelf/client';
import { Access } from '../src/picker/access.ts';

const refused = (status: number) => new PostshelfError('refused', 'No.', { status });

/**
 * Returns a page whose function returns the tokens `1`, `2` and so on, and a service that accepts tokens from
 * `goodFrom` on.
 */
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

describe("the page's token function", () => {
  test.each([
    ['is called once while the service accepts its token', 1, ['1', '1'], 1],
    ['is called only once more if several simultaneous calls are refused', 2, ['2', '2'], 2],
    ['is not called a third time if the second token is refused as well', 9, [401, 401], 2],
  ] as const)('%s', async (_, goodFrom, outcomes, asked) => {
    const { access, call, given } = served(goodFrom);
    const calls = await Promise.allSettled([access.attempt(call), access.attempt(call)]);
    const results = calls.map((one) =>
      one.status === 'fulfilled' ? one.value : (one.reason as PostshelfError).status,
    );
    expect(results).toEqual([...outcomes]);
    expect(given()).toBe(asked);
  });

  test('can be replaced without losing the current token, which only null clears', async () => {
    const { access, call } = served(1);
    await access.attempt(call);
    access.use(() => '7');
    expect(await access.attempt(call)).toBe('1');
    access.use(null);
    expect(() => access.token()).toThrow('provided a token');
    access.use(() => '7');
    expect(await access.attempt(call)).toBe('7');
  });

  test('is called again for the next request after it has failed', async () => {
    let fails = true;
    const access = new Access();
    access.use(() => {
      if (fails) throw new Error('The page is away.');
      return 'good';
    });
    expect(await access.attempt(async () => access.token()).catch(String)).toContain('The page is away.');
    fails = false;
    expect(await access.attempt(async () => access.token())).toBe('good');
  });
});

test.each([
  ['a text', 401, 'a token'],
  ['a function', 403, () => 'a token'],
] as const)('with %s as token, a call that is refused with %i is not repeated', async (_, status, token) => {
  const access = new Access();
  access.use(token);
  let calls = 0;
  const call = () => {
    calls += 1;
    return Promise.reject(refused(status));
  };
  expect(await access.attempt(call).catch(String)).toContain('No.');
  expect(calls).toBe(1);
});
