import { describeClock, describeIds, describeTokenSigner } from '@postshelf/testing';
import { createJwtSigner } from '../../src/compose/jwt-signer.ts';
import { systemClock, systemIds } from '../../src/compose/system.ts';

describeClock("the machine's clock", () => systemClock);
describeIds("Bun's UUIDs", () => systemIds);
describeTokenSigner("Elysia's JWT plugin", createJwtSigner);
