import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRobotsRoute } from '../../src/http/robots.ts';

const publicUrl = 'https://media.example.com';
const request = new Request(`${publicUrl}/robots.txt`);
const text = async (route: ReturnType<typeof createRobotsRoute>): Promise<string> => route({ request }).text();

test('robots.txt allows the files below the path of PUBLIC_URL', async () => {
  const route = createRobotsRoute({ publicUrl: `${publicUrl}/shelf`, robotsFile: null });
  expect(await text(route)).toContain('\nAllow: /shelf/files/\nDisallow: /\n');
});

test('ROBOTS_TXT replaces robots.txt, and a file that cannot be used stops the start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postshelf-robots-'));
  const robotsFile = join(folder, 'robots.txt');
  writeFileSync(robotsFile, 'User-agent: *\nAllow: /\n');
  expect(await text(createRobotsRoute({ publicUrl, robotsFile }))).toBe('User-agent: *\nAllow: /\n');
  const refused = (file: string) => () => createRobotsRoute({ publicUrl, robotsFile: file });
  expect(refused(join(folder, 'none.txt'))).toThrow('ROBOTS_TXT: cannot be read: ENOENT');
  writeFileSync(robotsFile, '#'.repeat(500 * 1024 + 1));
  expect(refused(robotsFile)).toThrow('ROBOTS_TXT:');
  rmSync(folder, { recursive: true });
});
