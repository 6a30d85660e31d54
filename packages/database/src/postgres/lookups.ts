import type { Uuid } from '@postshelf/domain';
import type { CompiledQuery } from 'kysely';

/**
 * Maximum number of batches of one query in flight. It is more than one, so that one hanging connection doesn't stop
 * all lookups.
 */
const MAX_UNDER_WAY = 2;

const MAX_BATCH = 100;

type Run = <Row>(query: CompiledQuery<Row>) => Promise<readonly Row[]>;

interface Lookup<Row> {
  readonly parameters: readonly Uuid[];
  readonly answer: Promise<readonly Row[]>;
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (cause: unknown) => void;
}

/** A row with the number of its lookup in the batch, counted from 1. */
type Numbered<Row> = Row & { readonly lookup_number: number };

/**
 * Batches queries that look up one or a few rows each, because the round trip to the server costs more than the lookup
 * itself. All lookups that are requested in one turn of the event loop, or while earlier batches are in flight, are
 * sent as one statement. The statement starts after each of these requests, so it sees what was committed before them.
 */
export class Lookups {
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  /** Prepares a query without `offset`, whose parameters are ids. Callers share the rows and must not change them. */
  prepare<Row>(query: CompiledQuery<Row>): (...parameters: readonly Uuid[]) => Promise<readonly Row[]> {
    const batches = new Batches(this.#run, query);
    return (...parameters) => batches.ask(parameters);
  }
}

class Batches<Row> {
  readonly #run: Run;
  readonly #query: CompiledQuery<Row>;
  readonly #forMany: string;
  #waiting = new Map<string, Lookup<Row>>();
  #underWay = 0;
  #isScheduled = false;

  constructor(run: Run, query: CompiledQuery<Row>) {
    this.#run = run;
    this.#query = query;
    this.#forMany = forMany(query);
  }

  ask(parameters: readonly Uuid[]): Promise<readonly Row[]> {
    const key = parameters.join(' ');
    const known = this.#waiting.get(key);
    if (known) return known.answer;
    const { promise: answer, resolve, reject } = Promise.withResolvers<readonly Row[]>();
    this.#waiting.set(key, { parameters, answer, resolve, reject });
    this.#schedule();
    return answer;
  }

  /** Sends the batch at the end of this turn of the event loop, so that further lookups join. */
  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0 || this.#underWay >= MAX_UNDER_WAY) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#send();
    });
  }

  async #send(): Promise<void> {
    const batch = [...this.#waiting.values()].slice(0, MAX_BATCH);
    if (batch.length === this.#waiting.size) this.#waiting = new Map();
    else for (const { parameters } of batch) this.#waiting.delete(parameters.join(' '));
    this.#underWay += 1;
    this.#schedule();
    try {
      await this.#answer(batch);
    } catch (cause) {
      for (const { reject } of batch) reject(cause);
    } finally {
      this.#underWay -= 1;
      this.#schedule();
    }
  }

  async #answer(batch: readonly Lookup<Row>[]): Promise<void> {
    const [only] = batch;
    if (only && batch.length === 1) {
      only.resolve(await this.#run<Row>({ ...this.#query, parameters: only.parameters }));
      return;
    }
    const parameters = this.#query.parameters.map((_, place) => batch.map((lookup) => lookup.parameters[place]));
    const rows = await this.#run<Numbered<Row>>({ ...this.#query, sql: this.#forMany, parameters });
    const answers = batch.map((): Row[] => []);
    for (const row of rows) answers[row.lookup_number - 1]?.push(row);
    for (const [index, { resolve }] of batch.entries()) resolve(answers[index] ?? []);
  }
}

/**
 * Returns the query for many lookups, with an array for each parameter. Subqueries hide the arrays' lengths from the
 * planner, which would otherwise make a plan for each length; `offset 0` keeps the join from being flattened into a
 * read of the whole table.
 */
function forMany({ sql, parameters }: CompiledQuery): string {
  const places = parameters.map((_, index) => index + 1);
  const arrays = places.map((place) => `(select $${place}::uuid[])`).join(', ');
  const names = places.map((place) => `id_${place}`).join(', ');
  const one = sql.replace(/\$(\d+)/g, 'lookups.id_$1');
  return (
    `select lookups.lookup_number, answers.* from unnest(${arrays}) with ordinality as lookups(${names}, lookup_number) ` +
    `cross join lateral (${one} offset 0) as answers`
  );
}
