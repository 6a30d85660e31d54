import { type AnyOperation, createOperationsHere, namedOperations, type RawInput } from '@postshelf/api';
import { EventFeed, type Resources } from '@postshelf/application';
import { MAX_PER_PAGE, Refusal } from '@postshelf/domain';
import { type Composition, composeExisting } from '../../compose/compose.ts';
import { composeForReading } from '../../compose/read-only-disk.ts';
import type { Config } from '../../config/config.ts';
import { servicePartsOf } from '../../http/service-parts.ts';
import { redact } from '../../telemetry/log/redact.ts';
import { safeText } from '../print.ts';
import { reasonOf } from '../reason.ts';
import { CommandError, unknownId, withComposition } from '../run.ts';
import { singularOf } from './options.ts';
import { isResource, type Resource } from './output.ts';

/** Runs operations in this process. `name` is an operation's name as in tRPC clients, such as `folders.list`. */
export interface Here {
  readonly ports: Resources;
  /** Runs an operation. @throws CommandError for an unknown id; Refusal for any other refusal */
  call(name: string, raw: RawInput): Promise<unknown>;
  /** Runs a list operation once for each page. @throws like {@link call}, but only before the first page */
  pages(name: string, raw: RawInput): Promise<AsyncIterable<readonly Resource[]>>;
}

interface Needs {
  /** Whether the operation only reads, so that it works on a read-only disk. */
  readonly reads?: boolean;
  /** Whether the operation signs with the secret of the library. */
  readonly signs?: boolean;
}

/** Runs operations on the library that the settings name, whether or not a service is running. */
export function withOperations<T>(
  { reads = false, signs = false }: Needs,
  use: (here: Here) => Promise<T>,
): Promise<T> {
  const compose = reads ? composeForReading : composeExisting;
  return withComposition(
    async (composition, config) => {
      const operations = createOperationsHere(partsOf(config, composition));
      const call = (name: string, raw: RawInput): Promise<unknown> => {
        const operation = operationOf(name);
        return operations.run(operation, raw).catch((error: unknown) => {
          throw explained(operation, raw, error);
        });
      };
      try {
        return await use({
          ports: composition.ports,
          call,
          pages: (name, raw) => pagesOf((page) => call(name, { ...raw, ...page })),
        });
      } finally {
        await operations.close();
      }
    },
    (config) => compose(config, { signs }),
  );
}

/**
 * Returns the dependencies of operations that run in this process. Dependencies that matter only in a server do
 * nothing. Failures that don't make an operation fail are printed as warnings.
 */
function partsOf(config: Config, composition: Composition) {
  const warn = (message: string): void => void process.stderr.write(`postshelf: ${safeText(redact(message))}\n`);
  const because = (cause: unknown): string => (cause instanceof Error ? `: ${reasonOf(cause)}` : '');
  return {
    ...servicePartsOf(config, composition),
    allowsOrigin: () => false,
    peerOf: () => null,
    feed: new EventFeed(composition.ports, { onFault: (cause) => warn(`events could not be read${because(cause)}`) }),
    limits: {
      countOperation: () => null,
      rateOf: () => null,
      countRead: () => Promise.reject(new Error('Commands do not read calendars.')),
    },
    observer: {
      observe: <T>(_: unknown, answer: () => Promise<T>) => answer(),
      fault: (cause: unknown) => warn(`something failed${because(cause)}`),
      missing: (id: string) => warn(`the bytes of item ${id} are missing`),
      warning: (message: string, { kind, outcome, cause }: Readonly<Record<string, unknown>>) =>
        warn([message, kind, outcome].filter((word) => typeof word === 'string').join(' ') + because(cause)),
    },
  };
}

const operations = new Map(namedOperations);

function operationOf(name: string): AnyOperation {
  const operation = operations.get(name);
  if (!operation) throw new Error(`There is no operation ${name}.`);
  return operation;
}

/**
 * Maps the path segment before an id to the kind of resource that the id belongs to, and to the command that lists such
 * resources. Contains only segments from which {@link kindOf} can't derive the two.
 */
const KINDS: Readonly<Record<string, readonly [kind: string, list: string]>> = {
  media_contents: ['media item', 'media list'],
  people: ['person', 'people list'],
  trash: ['item in the trash', 'trash list'],
  webhook_deliveries: ['delivery', 'webhook deliveries'],
};

/**
 * Returns the kind of resource that the id in an operation's path belongs to, and the command that lists such
 * resources.
 */
export function kindOf({ path }: Pick<AnyOperation, 'path'>): readonly [kind: string, list: string] {
  const word = /(\w+)\/\{/.exec(path)?.[1] ?? '';
  return KINDS[word] ?? [singularOf(word), `${singularOf(word)} list`];
}

function explained(operation: AnyOperation, raw: RawInput, error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  const { problem } = error;
  if (problem.code === 'changed')
    return new CommandError(`Someone else has changed it; its version is now ${problem.version}.`);
  if (problem.code !== 'not_found' || !operation.within) return error;
  return unknownId(kindOf(operation)[0], String(raw[operation.within.param]));
}

type Call = (page: RawInput) => Promise<unknown>;

async function pagesOf(call: Call): Promise<AsyncIterable<readonly Resource[]>> {
  const first = await readPage(call, 1);
  return (async function* () {
    yield first.items;
    for (let page = 2, { last } = first; page <= last; page += 1) {
      const next = await readPage(call, page);
      yield next.items;
      last = next.last;
    }
  })();
}

async function readPage(call: Call, page: number): Promise<{ items: readonly Resource[]; last: number }> {
  const answer = await call({ page, per_page: MAX_PER_PAGE });
  if (!isResource(answer) || !Array.isArray(answer.data) || !isResource(answer.meta))
    throw new Error('The answer is not a page of a list.');
  return { items: answer.data, last: Number(answer.meta.last_page) };
}
