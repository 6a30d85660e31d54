import { describeClock, describeIds, describeTokenSigner } from '@postshelf/testing';
import { createJwtSigner } from '../../src/http/jwt-signer.ts';
import { systemClock, systemIds } from '../../src/system.ts';

describeClock("the machine's clock", () => systemClock);
describeIds("Bun's UUIDs", () => systemIds);
describeTokenSigner("Elysia's JWT plugin", createJwtSigner);
