import { closeSync, openSync, writeSync } from 'node:fs';

/** What was asked and answered, a line each, for whoever looks into a violation: written before it is sent. */
export class Journal {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  note(what: string, facts: Readonly<Record<string, unknown>>): void {
    writeSync(this.#file, `${JSON.stringify({ at: new Date().toISOString(), what, ...facts })}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}
