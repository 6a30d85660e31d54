import { describe, expect, test } from 'bun:test';
import { parseUuid, TOKEN_ISSUER } from '@postshelf/domain';
import { describeTokenSigner } from '../src/contracts/tokens/token-signer.ts';
import { fakeClock } from '../src/fakes/fake-clock.ts';
import { fakeSigner } from '../src/fakes/fake-signer.ts';

describeTokenSigner('the fake', (secret) => fakeSigner(secret, { now: Date.now }));

describe('the fake signer', () => {
  test('lets a token live until its last second has begun', async () => {
    const clock = fakeClock();
    const signer = fakeSigner('secret', clock);
    const jti = parseUuid('01890a5d-ac96-774b-bcce-b302099a8057');
    if (jti === null) throw new Error('a UUID');
    const claims = { iss: TOKEN_ISSUER, sub: 'somebody', jti, exp: clock.now() / 1000 + 60 };
    const token = await signer.sign(claims);
    clock.advance(59_999);
    expect(await signer.verify(token)).toEqual(claims);
    clock.advance(1);
    expect(await signer.verify(token)).toBeNull();
  });
});
