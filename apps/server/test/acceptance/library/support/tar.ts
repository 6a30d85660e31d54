import { Database } from 'bun:sqlite';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

const BLOCK = 512;
const rounded = (size: number): number => Math.ceil(size / BLOCK) * BLOCK;

interface Member {
  readonly name: string;
  /** The offset of the file's content in the tar. */
  readonly start: number;
  readonly size: number;
}

/** The files in a tar, without extended headers. */
function members(tar: Buffer): Member[] {
  const found: Member[] = [];
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const text = (from: number, length: number) =>
      tar
        .subarray(at + from, at + from + length)
        .toString()
        .replace(/\0.*/s, '');
    const size = Number.parseInt(text(124, 12), 8);
    if (text(156, 1) === '0' || text(156, 1) === '') found.push({ name: text(0, 100), start: at + BLOCK, size });
    at += BLOCK + rounded(size);
  }
  return found;
}

/** The offsets at which the files of a tar end, including their padding. */
export const memberEnds = (tar: Buffer): number[] => members(tar).map(({ start, size }) => start + rounded(size));

/**
 * Changes the database in a backup. Also corrects its size and hash in the summary, so that the backup is otherwise
 * valid.
 */
export function withDatabase(path: string, scratch: string, change: (database: Database) => void): void {
  const tar = readFileSync(path);
  const all = members(tar);
  const named = (name: string): Member => {
    const member = all.find((each) => each.name === name);
    if (!member) throw new Error(`${name} is not in the backup.`);
    return member;
  };
  const { start, size } = named('postshelf.db');
  writeFileSync(scratch, tar.subarray(start, start + size));
  const database = new Database(scratch);
  database.run('pragma journal_mode = delete');
  change(database);
  database.close();
  const bytes = readFileSync(scratch);
  rmSync(scratch);
  const summary = named('backup.json');
  const text = JSON.parse(tar.subarray(summary.start, summary.start + summary.size).toString());
  text.database = { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  const json = Buffer.from(JSON.stringify(text).padEnd(summary.size));
  const head = (member: Member, length: number): Buffer => {
    const header = Buffer.from(tar.subarray(member.start - BLOCK, member.start));
    header.write(`${length.toString(8).padStart(11, '0')}\0`, 124);
    header.fill(' ', 148, 156);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return header;
  };
  const padded = (body: Buffer): Buffer => Buffer.concat([body, Buffer.alloc(rounded(body.length) - body.length)]);
  const between = tar.subarray(start + rounded(size), summary.start - BLOCK);
  const rest = [head(summary, json.length), padded(json), tar.subarray(summary.start + rounded(summary.size))];
  writeFileSync(
    path,
    Buffer.concat([
      tar.subarray(0, start - BLOCK),
      head({ ...named('postshelf.db') }, bytes.length),
      padded(bytes),
      between,
      ...rest,
    ]),
  );
}
