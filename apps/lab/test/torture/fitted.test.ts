import { expect } from 'bun:test';
import { fixture } from '@postshelf/testing/fixtures';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { testsThatNeed } from '@postshelf/testing/programs';
import { requireFitted } from '../../src/torture/check/check-over-http.ts';
import { FIT_SHAPES } from '../../src/torture/ledger/fit.ts';

const { test } = testsThatNeed(['ffprobe'], 'the check of fits that survived kills');

test.each(['jpeg', 'png', 'mp4'] as const)(
  'requireFitted accepts a %s file that meets the request, and rejects a larger or truncated one',
  async (kind) => {
    const bytes = await (await fixture(kind)).bytes();
    const asked = FIT_SHAPES[kind].find(({ target }) => target === 'x.post');
    if (!asked) throw new Error('It isn’t asked for.');
    await requireFitted(bytes, asked, {});
    const larger = requireFitted(bytes, { ...asked, width: 320 }, {});
    expect(await outcomeOf(larger)).toThrow('A fit is not as it was asked for.');
    const cut = requireFitted(bytes.subarray(0, bytes.length / 2), asked, {});
    expect(await outcomeOf(cut)).toThrow('A fit cannot be decoded.');
  },
);
