import { createWorkspace, issueToken, type Ports } from '@postshelf/application';
import { SCOPES, TOKEN_LIFE } from '@postshelf/domain';
import type { Config } from '../config.ts';

/** A GIF of one pixel. */
const TINY_GIF = 'R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=';

/** On an empty database: makes a workspace and a token and prints them with a line to try. Otherwise only where we are. */
export async function welcome(config: Config, ports: Ports): Promise<void> {
  const say = (line = ''): boolean => process.stdout.write(`${line}\n`);
  say();
  say(`Postshelf serves ${config.publicUrl}/v1`);
  if ((await ports.workspaces.list()).length > 0) {
    say();
    return;
  }
  const workspace = await createWorkspace(ports, { name: 'My workspace', timezone: 'UTC', systemFolders: [] });
  const request = { name: 'first run', scopes: SCOPES, workspaceIds: [workspace.id], life: TOKEN_LIFE.default };
  const { text } = await issueToken(ports, request);
  say();
  say(`Workspace:  ${workspace.id}`);
  say(`Token:      ${text}`);
  say('            (shown only now; good for 90 days)');
  say();
  say('Paste this into another terminal; it stores a tiny picture:');
  say();
  say(`  echo ${TINY_GIF} | base64 -d | curl -H 'Authorization: Bearer ${text}' \\`);
  say(`    -F 'files[]=@-;filename=hello.gif' ${config.publicUrl}/v1/workspaces/${workspace.id}/media_contents`);
  say();
  say("Your own: -F 'files[]=@photo.jpg', up to ten of them, pictures and videos.");
  say();
}
