import {
  countInFolders,
  createFolder,
  deleteFolder,
  findFolder,
  folderErrors,
  listFolders,
  parentErrors,
  updateFolder,
} from '@postshelf/application';
import { FOLDER_REFUSALS, type Folder } from '@postshelf/domain';
import * as v from 'valibot';
import { baseUrl } from '../../service.ts';
import { dataAndMessageOf, dataOf } from '../envelopes.ts';
import { given, readUuidOrRoot } from '../fields/values.ts';
import { inWorkspace, operation, within } from '../operation.ts';
import { pageEnvelope, pageOf, readPage } from '../pagination.ts';
import { folder, folderChange, folderQuery, folderWithSystem, newFolder, showFolder } from './schema.ts';

const tag = 'Folders';
const IN_WORKSPACE = '/workspaces/{workspace}/media_library/folders';
const ONE = '/media_library/folders/{folder}';

const oneFolder = within('folder', findFolder);

const showWithSystem = (item: Folder) => ({ ...showFolder(item), is_system: item.isSystem });

/** The counts that are shown for a folder that was deleted in the meantime. */
const NOTHING = { media: 0, folders: 0 };

export const folders = {
  list: operation({
    method: 'GET',
    path: IN_WORKSPACE,
    summary: 'List folders',
    description: 'Most recently updated first. Media items refer to folders by their ids, in `folder_id`.',
    tag,
    tool: 'folders_list',
    scope: 'folders:read',
    status: 200,
    extension: false,
    within: inWorkspace,
    input: folderQuery,
    output: pageOf(folderWithSystem, 'FolderPage'),
    checkAlso: ({ service, within: workspace }, { parent_id }) =>
      folderErrors(service.ports, workspace.id, 'parent_id', parent_id),
    async run({ facts, service, within: workspace, input }) {
      const { id: parentId } = readUuidOrRoot(input.parent_id);
      const filter = parentId === undefined ? {} : { parentId };
      const rows = await listFolders(service.ports, workspace, filter, readPage(input), facts.signal);
      const counts = input.include?.includes('counts') && (await countInFolders(service.ports, workspace, rows.items));
      const path = `${baseUrl(service)}/workspaces/${workspace.id}/media_library/folders`;
      return pageEnvelope(path, input, rows, (item) => ({
        ...showWithSystem(item),
        ...(counts && { counts: counts.get(item.id) ?? NOTHING }),
      }));
    },
  }),

  create: operation({
    method: 'POST',
    path: IN_WORKSPACE,
    summary: 'Create folder',
    description:
      'Creates the folder at the top level or in another folder. Folders can be nested at most 16 levels deep.',
    tag,
    tool: 'folders_create',
    scope: 'folders:write',
    status: 201,
    extension: false,
    within: inWorkspace,
    input: newFolder,
    output: dataAndMessageOf(folder, 'CreatedFolder'),
    versioned: true,
    checkAlso: ({ service, within: workspace }, { parent_id }) =>
      parentErrors(service.ports, workspace.id, null, parent_id),
    async run({ service, within: workspace, input, completes }) {
      const answer = (created: Folder) => ({ data: showFolder(created), message: 'The folder was created.' });
      const details = { name: input.name, parentId: input.parent_id ?? null };
      return answer(await createFolder(service.ports, workspace, details, completes(answer)));
    },
  }),

  get: operation({
    method: 'GET',
    path: ONE,
    summary: 'Show folder',
    description: 'Returns the folder.',
    tag,
    scope: 'folders:read',
    status: 200,
    extension: false,
    within: oneFolder,
    output: dataOf(folder, 'ShownFolder'),
    versioned: true,
    run: async ({ within: found }) => ({ data: showFolder(found), version: found.version }),
  }),

  update: operation({
    method: 'PATCH',
    path: ONE,
    summary: 'Update folder',
    description: 'Renames the folder, moves it with everything in it, or both. Absent fields stay as they are.',
    tag,
    tool: 'folders_update',
    scope: 'folders:write',
    status: 200,
    extension: false,
    within: oneFolder,
    input: folderChange,
    output: dataAndMessageOf(folderWithSystem, 'UpdatedFolder'),
    versioned: true,
    checkAlso: ({ service, within: found }, { parent_id }) =>
      parentErrors(service.ports, found.workspaceId, found, parent_id),
    async run({ facts, service, within: found, input: { name, parent_id }, expected }) {
      const change = given({ name, parentId: parent_id });
      const updated = await updateFolder(service.ports, found, change, facts.signal, expected);
      return { data: showWithSystem(updated), message: 'The folder was updated.', version: updated.version };
    },
  }),

  delete: operation({
    method: 'DELETE',
    path: ONE,
    summary: 'Delete folder',
    description: 'The folder must be empty, and must not be a system folder.',
    tag,
    scope: 'folders:write',
    status: 204,
    extension: true,
    statuses: { 422: 'The folder holds media or folders, or is a system folder.' },
    examples: { 422: { folder: [FOLDER_REFUSALS.not_empty.sentence] } },
    within: oneFolder,
    output: v.null(),
    versioned: true,
    async run({ service, within: found, expected }) {
      await deleteFolder(service.ports, found, expected);
      return null;
    },
  }),
};
