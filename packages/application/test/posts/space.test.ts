import { afterEach, expect, test } from 'bun:test';
import { thrownBy } from '@postshelf/testing/outcomes';
import { createPost, importPosts, type PostLine } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { addProfile, bare, PUBLISHED } from '../support/posts.ts';
import { inhabitedWorld } from '../support/world.ts';

afterEach(databases.closeAll);

const LOW = { problem: { code: 'storage_low', message: 'The disk is low on space and cannot accept anything new.' } };

test('posts are refused while the disk of the database is low on space', async () => {
  const { workspace, ...world } = await inhabitedWorld();
  const profile = await addProfile(world, workspace);
  let hasSpace = true;
  const ports = { ...world, databaseSpace: { has: async () => hasSpace } };
  const post = (externalId: string) => ({
    profileId: profile.id,
    externalId,
    publishedAt: PUBLISHED,
    text: 'x'.repeat(2000),
  });
  const importOne = (number: number) =>
    importPosts(
      ports,
      workspace,
      (async function* (): AsyncGenerator<PostLine> {
        yield { number: 1, post: post(String(number)) };
      })(),
    );
  const create = () => createPost(ports, workspace, { ...bare(profile), ...post('single') });

  expect(await importOne(1)).toMatchObject({ created: 1 });
  hasSpace = false;
  expect(await thrownBy(importOne(2))).toMatchObject(LOW);
  expect(await thrownBy(create())).toMatchObject(LOW);
  hasSpace = true;
  expect(await importOne(2)).toMatchObject({ created: 1 });
  expect(await create()).toMatchObject({ externalId: 'single' });
});
