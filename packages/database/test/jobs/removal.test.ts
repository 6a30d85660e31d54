import { describe, expect, test } from 'bun:test';
import { JOB_KINDS } from '@postshelf/domain';
import { ADDED } from '@postshelf/testing/contracts/jobs/added';
import { addWorkspace, NOW } from '@postshelf/testing/contracts/samples';
import { dialects, openNew } from '../support/dialects.ts';

describe.each(dialects)('the jobs of a workspace in $name', (dialect) => {
  test('are deleted with the workspace, as are its job turns', async () => {
    const { one, store, close } = await openNew(dialect);
    try {
      const [{ id }, other] = [await addWorkspace(one), await addWorkspace(one)];
      for (const kind of JOB_KINDS) await ADDED[kind](one, id, NOW);
      await ADDED.preview(one, other.id, NOW);
      while ((await one.workspaces.removeBatch(id, 5, NOW)) !== null);
      const turns = await store.reads
        .selectFrom('job_turns')
        .select(['kind', 'workspace_id'])
        .orderBy('kind')
        .execute();
      const jobs = await store.reads.selectFrom('jobs').select(['kind', 'workspace_id']).orderBy('kind').execute();
      expect(turns).toEqual(jobs);
      expect(turns.map(({ kind }) => kind)).toEqual(['check', 'preview']);
    } finally {
      await close();
    }
  });
});
