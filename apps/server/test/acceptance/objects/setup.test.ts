import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeBucket, realS3 } from '@postshelf/testing/servers/s3';
import { arrayAt, at } from '../support/reply.ts';
import { linesOf } from '../support/run.ts';
import { settingsOf } from '../support/s3.ts';
import { command, jsonCommand, removeFolder, type Settings, scratchFolder } from '../support/server.ts';

const page = 'https://app.example.com';
const setup = ['storage', 'setup'];

let dataDir: string;
beforeAll(() => {
  dataDir = scratchFolder();
});
afterAll(() => removeFolder(dataDir));

const outcomes = (printed: unknown) =>
  Object.fromEntries(arrayAt(printed, 'rules').map((rule) => [at(rule, 'name'), at(rule, 'outcome')]));

describe('postshelf storage setup with a folder', () => {
  test('reports that there is nothing to do', async () => {
    const [{ code, stdout, stderr }, printed] = await Promise.all([
      command(setup, { DATA_DIR: dataDir }),
      jsonCommand(setup, { DATA_DIR: dataDir }),
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(linesOf(stdout)).toHaveLength(1);
    expect(stdout).toMatch(/nothing to set up/);
    expect(printed).toEqual({ storage: 'files', dry_run: false, rules: [] });
  });
});

const s3 = await realS3('the command that sets up a bucket');

describe.skipIf(!s3)('postshelf storage setup with a bucket', () => {
  let settings: Settings;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    if (!s3) return;
    const made = await makeBucket(s3);
    remove = made.remove;
    settings = { DATA_DIR: join(dataDir, 'unused'), ...settingsOf(s3, made.bucket), CORS_ORIGINS: page };
  });
  afterAll(() => remove());

  const preflight = async (origin = page) => {
    const headers = { Origin: origin, 'Access-Control-Request-Method': 'PUT' };
    const response = await fetch(`${settings.S3_ENDPOINT}/${settings.S3_BUCKET}/x`, { method: 'OPTIONS', headers });
    return response.headers.get('access-control-allow-origin');
  };

  test('prints the rules and applies none in a dry run', async () => {
    const { code, stdout } = await command([...setup, '--dry-run'], settings);
    expect(code).toBe(0);
    for (const part of ['would be applied', page, 'AllowedOrigins', 'DaysAfterInitiation']) {
      expect(stdout).toContain(part);
    }
    expect(await preflight()).toBeNull();
  });

  test('applies the CORS and lifecycle rules, and prints a line for each', async () => {
    const { code, stdout, stderr } = await command(setup, settings);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(linesOf(stdout)).toHaveLength(3);
    expect(stdout).toMatch(/CORS rule: applied.*app\.example\.com/);
    expect(stdout).toMatch(/Lifecycle rule: applied.*7 days/);
    expect(await preflight()).toBe(page);
  });

  test('changes nothing when it runs again', async () => {
    const printed = await jsonCommand([...setup, '--create-bucket'], settings);
    expect(printed).toMatchObject({ storage: 's3', dry_run: false });
    expect(outcomes(printed)).toEqual({ cors: 'unchanged', lifecycle: 'unchanged' });
  });

  test("also allows the origin of the library's own pages", async () => {
    const own = { ...settings, PUBLIC_URL: 'https://media.example/shelf/' };
    expect(outcomes(await jsonCommand(setup, { ...own, WEB: 'false' }))).toMatchObject({ cors: 'unchanged' });
    const { stdout } = await command(setup, own);
    expect(stdout).toContain('pages of https://media.example, https://app.example.com may send files');
    expect([await preflight(), await preflight('https://media.example')]).toEqual([page, 'https://media.example']);
    const everybody = await jsonCommand([...setup, '--dry-run'], { ...own, CORS_ORIGINS: '*' });
    expect(at(everybody, 'rules', 0, 'rule', 'AllowedOrigins')).toEqual(['*']);
  });

  test('reports that there is no CORS rule without CORS_ORIGINS and PUBLIC_URL', async () => {
    const { code, stdout } = await command(setup, { ...settings, CORS_ORIGINS: undefined });
    expect(code).toBe(0);
    expect(stdout).toMatch(/CORS rule: not applied, because neither CORS_ORIGINS nor PUBLIC_URL is set/);
  });

  test('needs no data directory, and creates none', () => {
    expect(existsSync(join(dataDir, 'unused'))).toBe(false);
  });

  test.each<readonly [string, Settings, RegExp]>([
    ['a missing bucket', { S3_BUCKET: 'no-such-bucket' }, /^S3_BUCKET: .*no such bucket/],
    ['a wrong secret', { S3_SECRET_ACCESS_KEY: 'wrong' }, /^S3_SECRET_ACCESS_KEY: .*secret key is wrong/],
    ['an unreachable store', { S3_ENDPOINT: 'http://127.0.0.1:9' }, /^S3_ENDPOINT: .*out of reach/],
  ])('fails with one line for %s', async (_, spoilt, message) => {
    const bad = { ...settings, ...spoilt };
    const [{ code, stdout, stderr }, asJson] = await Promise.all([
      command(setup, bad),
      command([...setup, '--json'], bad),
    ]);
    expect({ failed: code !== 0, stdout }).toEqual({ failed: true, stdout: '' });
    expect(linesOf(stderr)).toHaveLength(1);
    expect(stderr.replace('postshelf: ', '')).toMatch(message);
    expect({ failed: asJson.code !== 0, stderr: asJson.stderr }).toEqual({ failed: true, stderr: '' });
    expect(JSON.parse(asJson.stdout).message).toMatch(message);
  });
});
