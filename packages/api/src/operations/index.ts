import { zip } from './archives/zip.ts';
import { audit } from './audit/operations.ts';
import { analytics } from './best-times/operations.ts';
import { calendars } from './calendars/operations.ts';
import { fit } from './fit/operations.ts';
import { folders } from './folders/operations.ts';
import { imports } from './imports/operations.ts';
import { jobs } from './jobs/operations.ts';
import { links } from './links/operations.ts';
import { batch } from './media/batch.ts';
import { media } from './media/operations.ts';
import { tags } from './media/tags.ts';
import type { AnyOperation } from './operation.ts';
import { people } from './people/operations.ts';
import { posts } from './posts/operations.ts';
import { profiles } from './posts/profiles.ts';
import { presign } from './presign/operations.ts';
import { networks, readiness } from './readiness/operations.ts';
import { sessions } from './sessions/operations.ts';
import { me } from './tokens/operations.ts';
import { tokens } from './tokens/run-tokens.ts';
import { trash } from './trash/operations.ts';
import { deliveries } from './webhooks/deliveries.ts';
import { webhooks } from './webhooks/operations.ts';
import { workspaces } from './workspaces/operations.ts';
import { usage } from './workspaces/usage.ts';

/** Operations for tokens with access to workspaces, by resource and name, in the order of the OpenAPI document. */
export const operations = {
  folders,
  media: {
    get: media.get,
    list: media.list,
    importUrl: imports.importUrl,
    presign: presign.presign,
    confirm: presign.confirm,
    fit,
    update: media.update,
    delete: media.delete,
    batch,
    zip,
    tags,
  },
  trash,
  links,
  profiles,
  posts,
  analytics,
  calendars,
  networks,
  readiness,
  webhooks: { ...webhooks, ...deliveries },
  people,
  sessions,
  me,
  workspaces: { usage },
};

/** Operations that only tokens with the scope `operator` can use. They are in a separate router. */
export const operatorOperations = { workspaces, tokens, audit, jobs };

/** All operations, including those of operators, with their names in tRPC's clients. */
export const namedOperations: readonly (readonly [name: string, operation: AnyOperation])[] = [
  ...Object.entries(operations),
  ...Object.entries(operatorOperations),
].flatMap(([group, members]) =>
  Object.entries<AnyOperation>(members).map(([name, operation]) => [`${group}.${name}`, operation] as const),
);

export const allOperations: readonly AnyOperation[] = namedOperations.map(([, operation]) => operation);

const names = new Map(namedOperations.map(([name, operation]) => [operation, name]));

/** Returns the name of an operation in tRPC's clients, such as `media.update`. */
export const nameOf = (operation: AnyOperation): string => names.get(operation) ?? operation.path;

/** Returns the name in the OpenAPI document: `folders.list` becomes `foldersList`. */
export const operationIdOf = (name: string): string =>
  name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
