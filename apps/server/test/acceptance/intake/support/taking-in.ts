import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Papa from 'papaparse';
import { png } from '../../support/fixtures.ts';
import { type Program, program } from '../../support/program.ts';
import { arrayAt } from '../../support/reply.ts';
import { command, type Settings, spawnServer } from '../../support/server.ts';
import type { World } from '../../support/world.ts';

/** A line of a report. */
export interface Row {
  readonly path: string;
  readonly media_id: string;
  readonly status: string;
  readonly reason: string;
  readonly sha256: string;
}

/** A different image for each number: readers ignore the bytes appended to it. */
export const picture = (number: number): Uint8Array => Buffer.concat([png(), Buffer.from(String(number).padStart(9))]);

/**
 * The time of the first file of {@link fill} in seconds since 1970. Each file is a second younger than the previous
 * one.
 */
export const FIRST = Date.UTC(2019, 6, 31) / 1000;

/** Writes a file, and creates the folders on its path. @param modified seconds since 1970 */
export function put(folder: string, path: string, bytes: Uint8Array | string, modified = FIRST): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  utimesSync(file, modified, modified);
}

/** Writes that many different images, a hundred per folder. @returns their paths */
export function fill(folder: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const path = `folder ${Math.floor(n / 100)}/${n}.png`;
    put(folder, path, picture(n), FIRST + n);
    return path;
  });
}

const settingsOf = (world: World, token: string, more: Settings): Settings => ({
  POSTSHELF_URL: world.server.url,
  POSTSHELF_TOKEN: world.tokens[token] ?? token,
  ...more,
});

interface Options {
  /** The name of one of the world's tokens, or a token itself. */
  readonly token?: string;
  readonly settings?: Settings;
  readonly program?: Program;
}

/** The command `postshelf import` and its report. */
export class TakingIn {
  constructor(
    private readonly world: World,
    /** The folder to import, or the address of the bucket. */
    readonly source: string,
    readonly report: string,
    private readonly args: readonly string[] = [],
  ) {}

  /** Runs the import to its end. */
  async run(args: readonly string[] = [], { token = 'all', settings = {}, program: by = program }: Options = {}) {
    const all = ['import', this.source, '--report', this.report, ...this.args, ...args, '--json'];
    const { code, stdout, stderr } = await command(all, settingsOf(this.world, token, settings), by);
    return { code, stderr, json: stdout === '' ? null : (JSON.parse(stdout) as Record<string, unknown>) };
  }

  /** Starts the import without waiting for its end, so that a test can kill it. */
  start(args: readonly string[] = [], settings: Settings = {}) {
    const all = ['import', this.source, '--report', this.report, ...this.args, ...args];
    return spawnServer(settingsOf(this.world, 'all', settings), all);
  }

  /** The current lines of the report, without the quotes that keep spreadsheets from evaluating them as formulas. */
  rows(): Row[] {
    const { data } = Papa.parse<Row>(readFileSync(this.report, 'utf8'), { header: true, skipEmptyLines: true });
    return data.map((row) => ({ ...row, path: row.path.replace(/^'/, '') }));
  }

  /** The line about a file. */
  row(path: string): Row | undefined {
    return this.rows().find((row) => row.path === path);
  }
}

/** All items of a workspace, with their details. */
export async function allItems(world: World, query = ''): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for (let page = 1; ; page += 1) {
    const path = `GET /workspaces/{workspace}/media_contents?include=details&per_page=100&page=${page}${query}`;
    const data = arrayAt((await world.call(path)).json, 'data');
    items.push(...data.map((item) => item as Record<string, unknown>));
    if (data.length < 100) return items;
  }
}
