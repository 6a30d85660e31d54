import { FIT_SHAPES, stemOfFit } from '../ledger/fit.ts';
import { type MediaRecord, placeOf } from '../ledger/ledger.ts';
import { at } from '../support/json.ts';
import { type LoadContext, newKey } from './load-context.ts';
import { mayBeDeleted, takeIds } from './storing.ts';

/** Whether this machine has the programs that make fits and decode them. */
export const CAN_FIT = ['ffmpeg', 'ffprobe'].every((name) => Bun.which(name) !== null);

/**
 * Requests a fit of an item for a target, unless there already is one: the ledger identifies a fit by its name, which
 * consists of the item's name and the target.
 */
export async function fitItem(context: LoadContext): Promise<void> {
  const { api, requester, ledger, random } = context;
  const original = random.pickIfAny(ledger.known.filter((record) => record.isActive && canBeFitted(record)));
  if (!original || !CAN_FIT) return;
  const shape = random.pick(FIT_SHAPES[original.content.kind]);
  const stem = stemOfFit(original.stem, shape);
  if (ledger.media.has(stem) || ledger.deleted.has(stem)) return;
  const record = ledger.addFit(stem, { ...shape, original });
  const isDeleted = mayBeDeleted(original);
  const how = random.pick(['pad', 'crop'] as const);
  const key = newKey(context);
  await requester.ask({
    kind: 'fit',
    about: { item: stem },
    writes: [record.exists.begin(true)],
    send: () => api.call('POST', `/media_contents/${original.id}/fit`, { target: shape.target, how }, key),
    done: [202],
    mayRefuse: ({ status }) => status === 404 && isDeleted(),
    take: ({ json }) => {
      takeIds([record], json);
      // No client knows the fit yet, so no client has moved it. The answer shows where the service created it.
      record.place.settle(placeOf(at(json, 'data', 0, 'folder_id'), at(json, 'data', 0, 'label')));
    },
  });
}

/**
 * Whether an item can be fitted. Files that were sent directly to a bucket can't be fitted, because they haven't been
 * inspected yet.
 */
const canBeFitted = ({ source }: MediaRecord): boolean => source !== 'fit' && source !== 'presigned';
