import { basename } from 'node:path';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import * as v from 'valibot';
import { openBelow } from './open-below.ts';
import { Refused } from './refused.ts';
import { type Destination, type OnSent, sendFile } from './send-file.ts';

export const UPLOAD = 'media_upload';

/**
 * Fields that uploads have in common with imports. Their descriptions are copied from the service's import tool.
 */
const SHARED = ['workspace', 'label', 'folder_id', 'on_duplicate'] as const;

const text = v.optional(v.nullable(v.string()));

/** Arguments of the tool. The service checks all of them except the path. */
const input = v.object({
  workspace: v.string(),
  path: v.string(),
  label: text,
  folder_id: text,
  on_duplicate: text,
});

/**
 * Describes the upload tool.
 *
 * @param tools the tools of the service, from which the descriptions of the shared fields and of the answer are taken
 */
export function describeUpload(tools: readonly Tool[]): Tool {
  const fields = tools.find(({ name }) => name === 'media_import')?.inputSchema.properties ?? {};
  const outputSchema = tools.find(({ name }) => name === 'media_confirm')?.outputSchema;
  return {
    name: UPLOAD,
    title: 'Upload a file from this machine',
    description:
      'Uploads an image or a video from the folder that this command may read. The item is `active` immediately.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The path of the file, relative to the folder.' },
        ...Object.fromEntries(SHARED.flatMap((name) => (fields[name] ? [[name, fields[name]]] : []))),
      },
      required: ['workspace', 'path'],
    },
    ...(outputSchema && { outputSchema }),
    annotations: { readOnlyHint: false, destructiveHint: false },
  };
}

/**
 * Uploads the file at the path in the tool's arguments.
 *
 * @returns the id of its item
 * @throws Refused
 */
export async function uploadBelow(folder: string, to: Destination, given: unknown, onSent: OnSent): Promise<string> {
  const read = v.safeParse(input, given);
  if (!read.success) throw new Refused(`${v.getDotPath(read.issues[0]) ?? 'arguments'}: ${read.issues[0].message}`);
  const { workspace, path, ...fields } = read.output;
  const file = await openBelow(folder, path);
  try {
    const named = Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
    return await sendFile(to, workspace, file, { filename: basename(path), ...Object.fromEntries(named) }, onSent);
  } finally {
    await file.close();
  }
}
