import { describeClock } from '@postshelf/testing/contracts/clock';
import { describeIds } from '@postshelf/testing/contracts/ids';
import { describeTokenSigner } from '@postshelf/testing/contracts/tokens/token-signer';
import { createJwtSigner } from '../../src/compose/credentials.ts';
import { systemClock, systemIds } from '../../src/compose/host/system.ts';

describeClock("the machine's clock", () => systemClock);
describeIds("Bun's UUIDs", () => systemIds);
describeTokenSigner("Elysia's JWT plugin", createJwtSigner);
