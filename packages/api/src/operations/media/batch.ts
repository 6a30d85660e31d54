import { changeMany, folderErrors, type ManyChange } from '@postshelf/application';
import { MAX_BATCH, parseUuid } from '@postshelf/domain';
import * as v from 'valibot';
import { dataOf } from '../envelopes.ts';
import { documented } from '../fields/documented.ts';
import { listOf, noneTwice } from '../fields/values.ts';
import { inWorkspace, operation } from '../operation.ts';
import { folder_id, tags } from './schema.ts';

/** The ids of a request. Malformed and unknown ids aren't refused here: the operation itself reports them. */
export const mediaIds = (max: number, description: string) =>
  v.pipe(
    documented(listOf(documented(v.string(), { examples: ['019f5b0e-6a3d-7e11-8c42-9f0d3b7a5e64'] }), max, 1), {
      description,
    }),
    noneTwice(max, (id) => parseUuid(id) ?? id),
  );

const fields = v.object({
  ids: mediaIds(MAX_BATCH, 'Ids of media items of the workspace, each only once.'),
  action: documented(v.picklist(['move', 'delete', 'tag', 'untag']), {
    description: '`move` takes `folder_id`; `tag` and `untag` take `tags`.',
  }),
  folder_id: v.optional(folder_id),
  tags: v.optional(
    documented(tags, {
      description: 'Tags to add after those that an item has, or to remove, ignoring case.',
    }),
  ),
});

type Fields = v.InferOutput<typeof fields>;

/** The request of a batch. Checks the fields that the action needs in addition to the ids. */
const batchRequest = documented(
  v.pipe(
    fields,
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const input = dataset.value;
      const { action, folder_id: folder, tags: given } = input;
      const ask = (key: 'folder_id' | 'tags'): void =>
        addIssue({
          message: 'is required.',
          path: [{ type: 'object', origin: 'value', input, key, value: input[key] }],
        });
      if (action === 'move' && folder === undefined) ask('folder_id');
      if ((action === 'tag' || action === 'untag') && (given === undefined || given.length === 0)) ask('tags');
    }),
  ),
  { title: 'MediaBatch' },
);

const outcome = documented(
  v.object({
    id: documented(v.string(), { description: 'The id, as in the request.' }),
    ok: v.boolean(),
    message: v.nullable(
      documented(v.string(), { description: 'Why the item was left unchanged; null if the action was applied.' }),
    ),
  }),
  {
    title: 'MediaBatchOutcome',
    examples: [{ id: '019f5b0e-6a3d-7e11-8c42-9f0d3b7a5e64', ok: false, message: 'Not found.' }],
  },
);

function readChange({ action, folder_id: folderId = null, tags: given = [] }: Fields): ManyChange {
  if (action === 'move') return { action, folderId };
  return action === 'delete' ? { action } : { action, tags: given };
}

export const batch = operation({
  method: 'POST',
  path: '/workspaces/{workspace}/media_contents/batch',
  summary: 'Change many media items',
  description:
    'Moves, deletes, tags or untags up to 500 items, each as if it were requested separately: a refusal for one doesn’t affect the others. The answer has one outcome for each id, in the same order.',
  tag: 'Media',
  scope: 'media:write',
  status: 200,
  extension: true,
  within: inWorkspace,
  input: batchRequest,
  output: dataOf(v.array(outcome), 'MediaBatchOutcomes'),
  checkAlso: ({ service, within: workspace }, { action, folder_id: folder }) =>
    action === 'move' ? folderErrors(service.ports, workspace.id, 'folder_id', folder) : Promise.resolve({}),
  async run({ facts, service: { ports, observer }, within: workspace, input }) {
    const outcomes = await changeMany(ports, workspace, input.ids, readChange(input), {
      signal: facts.signal,
      onLeftOver: (fullName, cause) =>
        observer.warning('An object outlived its media item; gc will remove it.', { fullName, cause }),
    });
    return { data: outcomes.map(({ id, problem }) => ({ id, ok: problem === null, message: problem })) };
  },
});
