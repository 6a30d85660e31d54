import { createWorkspace, invitePerson, issueToken, type Resources } from '@postshelf/application';
import {
  type AccessToken,
  DEFAULT_SCOPES,
  isLive,
  SIGN_IN_CODE_LIFETIME,
  signInLink,
  TOKEN_LIFETIME,
  type Workspace,
} from '@postshelf/domain';
import type { Config } from '../../config/config.ts';
import { describeSettings } from '../../telemetry/setting-report.ts';
import { invocation, recordCommand } from '../run.ts';

/**
 * On an empty database, creates a workspace and a token, and prints them with a command to try. Otherwise prints how to
 * get another token.
 */
export async function welcome(config: Config, ports: Resources, write: (text: string) => void): Promise<void> {
  const workspaces = await ports.workspaces.list();
  const lines = workspaces.length > 0 ? await greeting(config, ports, workspaces) : await firstSteps(config, ports);
  const text = ['', `Postshelf serves ${config.publicUrl}/v1`, '', ...lines, '', 'Ctrl-C stops it.', ''];
  write(text.map((line) => `${line}\n`).join(''));
}

/** Settings other than `DATA_DIR` that a command needs to work on the same library as the service. */
const LIBRARY_SETTINGS = ['DATABASE_URL', 'JWT_SECRET'];

/** Quotes a path for a shell. */
const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

async function greeting(
  { dataDir, web }: Config,
  ports: Resources,
  workspaces: readonly Workspace[],
): Promise<readonly string[]> {
  const now = ports.clock.now();
  const tokens = (await ports.tokens.list()).filter((token) => isLive(token, now));
  // The operator probably needs the workspace that was created last; `workspace list` shows all of them.
  const id = workspaces.at(-1)?.id ?? '';
  const { DATA_DIR, ...others } = describeSettings().differing;
  const command = `${DATA_DIR === undefined ? '' : `DATA_DIR=${quoted(dataDir)} `}${invocation()}`;
  const needed = LIBRARY_SETTINGS.filter((name) => name in others);
  return [
    `Workspaces: ${workspaces.length}`,
    `Tokens:     ${tokens.length} valid (each was shown once)`,
    '',
    `To create another token${needed.length > 0 ? `, run this with the same ${needed.join(' and ')} as the server` : ', run this'}:`,
    '',
    `  ${command} token create --workspace ${id}`,
    ...signInHint(web ? tokens.at(-1) : undefined, command),
    ...(workspaces.length > 1 ? ['', `All workspaces: ${command} workspace list`] : []),
  ];
}

const signInHint = (token: AccessToken | undefined, command: string): readonly string[] =>
  token ? ['', 'To sign a browser in with a link:', '', `  ${command} token sign-in-link ${token.id}`] : [];

async function firstSteps(config: Config, ports: Resources): Promise<readonly string[]> {
  const workspace = await createWorkspace(ports, { name: 'My workspace', timezone: 'UTC', systemFolders: [] });
  const request = {
    name: 'first run',
    scopes: DEFAULT_SCOPES,
    workspaceIds: [workspace.id],
    lifetime: TOKEN_LIFETIME.default,
  };
  const { text, token } = await issueToken(ports, request);
  await recordCommand(ports, 'workspaces.create', { subjectId: workspace.id, workspaceId: workspace.id });
  await recordCommand(ports, 'tokens.create', { subjectId: token.id });
  const signIn = config.web ? await firstManager(config, ports, workspace) : [];
  return [
    `Workspace:  ${workspace.id}`,
    `Token:      ${text}`,
    '            (shown only now; valid for 90 days)',
    '',
    ...signIn,
    'Paste this into another terminal; it lists your media:',
    '',
    `  curl -H 'Authorization: Bearer ${text}' ${config.publicUrl}/v1/workspaces/${workspace.id}/media_contents`,
    '',
    "Add -F 'files[]=@photo.jpg' to upload an image or a video of yours.",
  ];
}

/** Creates the first manager, who may invite other people. Returns the lines with this manager's sign-in link. */
async function firstManager(config: Config, ports: Resources, workspace: Workspace): Promise<readonly string[]> {
  const manager = { name: 'First manager', email: null, role: 'manager' } as const;
  const { person, code } = await invitePerson(ports, null, workspace, manager, { lifetime: SIGN_IN_CODE_LIFETIME });
  await recordCommand(ports, 'people.create', { subjectId: person.id, workspaceId: workspace.id });
  return [
    'Open this in your browser; it signs you in as manager (once, within 10 minutes):',
    '',
    `  ${signInLink(config.publicUrl, code)}`,
    '',
  ];
}
