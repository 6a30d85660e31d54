import type { Service } from './service.ts';

/** Where files are uploaded to. */
export const uploadUrl = ({ root, workspace }: Service): string => `${root}/v1/workspaces/${workspace}/media_contents`;

/** Sends a body and gives what the `201` says. @throws Error for any other answer */
export async function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>,
): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
