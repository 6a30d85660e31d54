import { expect, test } from 'bun:test';
import { addPost, addProfile } from '@postshelf/testing/contracts/posts/samples';
import { addFolder, NOW, sampleImage } from '@postshelf/testing/contracts/samples';
import { sql } from 'kysely';
import { dialects, openNew } from '../support/dialects.ts';

test.each(dialects)('$name raises the version for programs that know of none, or of an old one', async (dialect) => {
  const { one, store, close } = await openNew(dialect);
  const profile = await addProfile(one);
  const post = await addPost(one, profile);
  const folder = await addFolder(one, profile.workspaceId);
  const image = sampleImage(profile.workspaceId);
  await one.media.insert([image]);
  for (const [table, { id }, hidden] of [
    ['profiles', profile, 'removal_begun_at = null'],
    ['posts', post, 'created_at = created_at'],
    ['folders', folder, 'name_key = name_key'],
    ['media', image, 'search_key = search_key'],
  ] as const) {
    const change = (set: string) => store.write((queries) => sql.raw(`update ${table} set ${set}`).execute(queries));
    const version = async () =>
      (await store.reads.selectFrom(table).select('version').where('id', '=', id).executeTakeFirst())?.version;
    await change(hidden);
    expect(await version()).toBe(1);
    await change(`updated_at = ${NOW}`);
    expect(await version()).toBe(2);
    await change(`version = 1, updated_at = ${NOW}`);
    expect(await version()).toBe(3);
    await change(`version = 7, updated_at = ${NOW}`);
    expect(await version()).toBe(7);
  }
  await close();
});
