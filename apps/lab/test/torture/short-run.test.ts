import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sized } from '@postshelf/harness';
import { realPostgres } from '@postshelf/testing/servers/postgres';
import { realS3 } from '@postshelf/testing/servers/s3';
import { deployBucket } from '../../src/torture/deployments/bucket.ts';
import { deployFiles } from '../../src/torture/deployments/files.ts';
import { upload } from '../../src/torture/load/storing.ts';
import { Torture } from '../../src/torture/torture.ts';

const ROUNDS = sized(1, 12);

/** After each kill, all leases are ended. Otherwise, the full check would have to wait until they expire. */
const PLAN = { rounds: ROUNDS, fullEvery: ROUNDS, endedLeases: 100 };

const skipped = 'kill -9 under load, over PostgreSQL and S3';
// Only the long form runs with PostgreSQL and S3. In the short form, the server's test
// `deployment/many-processes.test.ts` kills processes that use PostgreSQL and S3.
const overServers = sized(false, true) && (await realPostgres(skipped)) !== null && (await realS3(skipped)) !== null;

for (const [name, deploy, isTried] of [
  ['SQLite and files', deployFiles, true],
  ['PostgreSQL and S3', deployBucket, overServers],
] as const) {
  test.skipIf(!isTried)(`with ${name}, everything acknowledged survives kill -9 under load (${ROUNDS}×)`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postshelf-torture-'));
    const deployment = await deploy(folder);
    if (!deployment) throw new Error('The servers are gone.');
    const seed = Date.now() % 2 ** 31;
    const torture = await Torture.open(deployment, folder, seed);
    try {
      // These uploads ensure that there is something to lose, even if the machine is so slow that the load stores
      // little.
      torture.context.isOver = false;
      for (let nth = 0; nth < 5; nth += 1) await upload(torture.context);
      await torture.run(PLAN, () => undefined);
    } catch (error) {
      throw new Error(`With the seed ${seed}, kept in ${folder}`, { cause: error });
    } finally {
      await torture.close();
    }
    const { rounds, fullChecks, checked } = torture.figures;
    expect({ rounds, fullChecks }).toEqual({ rounds: ROUNDS, fullChecks: 1 });
    expect(checked.objects).toBeGreaterThan(0);
    await deployment.close();
    await rm(folder, { recursive: true });
  });
}
