import { open } from 'node:fs/promises';

const COMPLAINTS: readonly unknown[] = ['error', 'fatal'];

/** The log of the service, read as it grows. */
export class Log {
  #offset = 0;
  #rest = '';

  constructor(private readonly path: string) {}

  /** Returns new lines of the log since the last call that are errors, or not valid log lines. */
  async complaints(): Promise<readonly string[]> {
    await using file = await open(this.path, 'r');
    const { size } = await file.stat();
    const bytes = Buffer.alloc(size - this.#offset);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, this.#offset);
    this.#offset += bytesRead;
    const lines = (this.#rest + bytes.subarray(0, bytesRead).toString('utf8')).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.filter(isComplaint).map((line) => line.slice(0, 1500));
  }
}

function isComplaint(line: string): boolean {
  try {
    const { level } = JSON.parse(line) as { readonly level?: unknown };
    return typeof level !== 'string' || COMPLAINTS.includes(level);
  } catch {
    return line.trim() !== '';
  }
}
