import { describe, expect, test } from 'bun:test';
import { openProcesses } from '../../../src/index.ts';
import { startProcess } from '../../support/other-process.ts';
import { tellsWhoLives } from '../../support/staging.ts';

describe.skipIf(!tellsWhoLives)('processes (needs /proc)', () => {
  test('know themselves as living, by a name without spaces', async () => {
    const processes = await openProcesses();
    expect(processes.own).toMatch(/^[\w.-]{30,}$/);
    expect(await processes.isDead(processes.own)).toBe(false);
  });

  test('know another one to be dead when it was killed, and not before', async () => {
    const processes = await openProcesses();
    const other = await startProcess('tell-name.ts');
    expect(other.said).toMatch(/^[\w.-]{30,}$/);
    expect(other.said).not.toBe(processes.own);
    expect(await processes.isDead(other.said)).toBe(false);
    await other.kill();
    expect(await processes.isDead(other.said)).toBe(true);
  });

  test.each(['', 'host', crypto.randomUUID(), 'a.b.c.d.e'])('know nothing of %j', async (name) => {
    expect(await (await openProcesses()).isDead(name)).toBe(false);
  });
});
