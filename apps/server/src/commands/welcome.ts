import { createWorkspace, issueToken, type Ports } from '@postshelf/application';
import { SCOPES, TOKEN_LIFE } from '@postshelf/domain';
import type { Config } from '../config.ts';

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
  say('Paste this into another terminal; it lists your media:');
  say();
  say(`  curl -H 'Authorization: Bearer ${text}' ${config.publicUrl}/v1/workspaces/${workspace.id}/media_contents`);
  say();
  say("With -F 'files[]=@photo.jpg' behind it, it stores a picture or a video of yours.");
  say();
}
