import { describe, expect, spyOn, test } from 'bun:test';
import { addWorkspace } from '@postshelf/testing/contracts/samples';
import { thrownBy } from '@postshelf/testing/outcomes';
import { makeDatabase, type RealPostgres, realPostgres, runSql } from '@postshelf/testing/servers/postgres';
import { UnusableDatabase } from '../../src/index.ts';
import { openPostgres } from '../../src/open-postgres.ts';
import { withPostgres } from './support.ts';

const server = await realPostgres('opening PostgreSQL');

describe.skipIf(!server)('opening PostgreSQL', () => {
  const real = server as RealPostgres;
  const elsewhere = (change: (url: URL) => void): string => {
    const url = new URL(real.url);
    change(url);
    return url.href;
  };

  const WRONG: readonly (readonly [string, (url: URL) => void, RegExp])[] = [
    ['the password is wrong', (url) => Object.assign(url, { password: 'hunter2' }), /password authentication failed/],
    ['the address lacks the password', (url) => Object.assign(url, { password: '' }), /: the server .* no password/],
    ['the database does not exist', (url) => Object.assign(url, { pathname: '/nowhere' }), /"nowhere" does not exist/],
    [
      'the database accepts no connections',
      (url) => Object.assign(url, { pathname: '/template0' }),
      /not currently accepting/,
    ],
    ['no server listens', (url) => Object.assign(url, { port: '1' }), /ECONNREFUSED/],
    ['the host does not exist', (url) => Object.assign(url, { hostname: 'nowhere.invalid' }), /nowhere\.invalid/],
    ['the server has no TLS', (url) => url.searchParams.set('sslmode', 'verify-full'), /SSL/],
  ];
  for (const [what, change, reason] of WRONG) {
    test(`reports in one line, without the password, that ${what}`, async () => {
      const url = elsewhere(change);
      const error = await thrownBy(openPostgres(url));
      expect(error).toBeInstanceOf(UnusableDatabase);
      expect((error as Error).message).toStartWith('Cannot open the database postgres://');
      expect((error as Error).message).toMatch(reason);
      expect((error as Error).message).not.toContain('\n');
      const { password } = new URL(url);
      if (password !== '') expect(Bun.inspect(error)).not.toContain(password);
    });
  }

  for (const mode of ['prefer', 'require', 'verify-ca']) {
    test(`uses TLS for sslmode=${mode}, without a warning of the driver`, async () => {
      const warnings: string[] = [];
      const collect = ({ message }: Error): void => void warnings.push(message);
      process.on('warning', collect);
      const error = await thrownBy(openPostgres(elsewhere((url) => url.searchParams.set('sslmode', mode))));
      await Bun.sleep(1);
      process.off('warning', collect);
      expect([(error as Error).message, warnings]).toEqual([expect.stringMatching(/SSL/), []]);
    });
  }

  test('refuses a database whose encoding cannot represent every name', async () => {
    const name = `postshelf_latin_${crypto.randomUUID()}`;
    await runSql(
      real.url,
      `create database "${name}" encoding 'LATIN1' locale_provider libc locale 'C' template template0`,
    );
    try {
      const error = await thrownBy(openPostgres(elsewhere((url) => Object.assign(url, { pathname: `/${name}` }))));
      expect(`${error}`).toContain('LATIN1');
    } finally {
      await runSql(real.url, `drop database "${name}"`);
    }
  });

  test('fails if the role has too many connections, and an open database makes do with those that it has', async () => {
    const role = `postshelf_role_${crypto.randomUUID()}`;
    await runSql(real.url, `create role "${role}" login superuser password 'secret'`);
    const { url, remove } = await makeDatabase(real);
    try {
      const own = new URL(url);
      Object.assign(own, { username: role, password: 'secret' });
      const database = await openPostgres(own.href, { poolSize: 4 });
      await database.migrate();
      await runSql(real.url, `alter role "${role}" nosuperuser connection limit 1`);
      const answers = await Promise.all(Array.from({ length: 8 }, () => database.workspaces.list()));
      expect(answers).toEqual(Array(8).fill([]));
      expect(`${await thrownBy(openPostgres(own.href))}`).toContain('too many connections');
      const { obstacle } = await database.keepSearchIndex(new AbortController().signal);
      expect(obstacle).toMatch(/^too many connections for role .* \(SQLSTATE 53300\)$/);
      await database.close();
    } finally {
      await remove();
      await runSql(real.url, `drop role "${role}"`);
    }
  });

  test('retries the search index after ten minutes, even if the clock of the machine was set back', () =>
    withPostgres(real, {}, async (database, url) => {
      const keep = () => database.keepSearchIndex(new AbortController().signal);
      await runSql(url, 'create table media_search_keys (id int)');
      expect((await keep()).obstacle).toContain('"media_search_keys" already exists');
      await runSql(url, 'drop table media_search_keys');
      expect((await keep()).obstacle).toContain('already exists');
      const [date, uptime] = [Date.now(), performance.now()];
      const clocks = [
        spyOn(Date, 'now').mockImplementation(() => date - 86_400_000),
        spyOn(performance, 'now').mockImplementation(() => uptime + 600_001),
      ];
      try {
        expect((await keep()).obstacle).toBeNull();
      } finally {
        for (const clock of clocks) clock.mockRestore();
      }
    }));

  test('finds rows that were stored before', () =>
    withPostgres(real, {}, async (before, url) => {
      const workspace = await addWorkspace(before);
      const after = await openPostgres(url);
      expect(await after.workspaces.list()).toEqual([workspace]);
      await after.close();
      expect(await thrownBy(after.workspaces.list())).toMatchObject({ message: 'The database is closed' });
    }));
});
