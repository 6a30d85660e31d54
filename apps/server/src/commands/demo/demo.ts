import { createWorkspace, type Resources } from '@postshelf/application';
import { invalid, type Workspace } from '@postshelf/domain';
import { Command } from 'commander';
import { compose, composeExisting } from '../../compose/compose.ts';
import type { Config } from '../../config/config.ts';
import { print } from '../print.ts';
import { count, reportPeriodically } from '../progress.ts';
import { CommandError, invocation, readId, recordCommand, unknownId, withComposition } from '../run.ts';
import { DEMO_ITEMS } from './catalogue.ts';
import { fillDemo, MAX_ITEMS } from './fill.ts';

interface DemoCommandOptions {
  readonly workspace?: string;
  readonly items: number;
  readonly seed: number;
  readonly add?: boolean;
  readonly json?: boolean;
}

const NEW_WORKSPACE = { name: 'Demo', timezone: 'Europe/Lisbon', systemFolders: [] };

export function demoCommand(): Command {
  return new Command('demo')
    .description('fill a workspace with sample images, videos and posts, to try the program')
    .option('--workspace <id>', 'as shown by workspace list; default: a new workspace, "Demo"')
    .option('--seed <number>', 'the same seed generates the same samples', upTo('seed', 1_000_000), 1)
    .option('--items <number>', 'number of images and videos', upTo('items', MAX_ITEMS), DEMO_ITEMS)
    .option('--add', 'fill the workspace even if it already has media')
    .option('--json', 'print one JSON object')
    .action(demo);
}

/** Parses a whole number. @throws Refusal `invalid` if it isn't one, or is larger than allowed */
const upTo =
  (option: string, max: number) =>
  (text: string): number => {
    const number = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number <= max)) throw invalid(option, `--${option} must be a whole number from 0 to ${max}.`);
    return number;
  };

async function demo({ workspace: id, items, seed, add = false, json }: DemoCommandOptions): Promise<void> {
  // This may be the first command that an operator runs, so it creates the library if there is none.
  const open = (config: Config) => (id === undefined ? compose(config, { signs: false }) : composeExisting(config));
  await withComposition(async ({ ports, ffmpeg }) => {
    const workspace =
      id === undefined ? await createWorkspace(ports, NEW_WORKSPACE) : await requireEmpty(ports, id, add);
    await recordCommand(ports, 'workspaces.demo', { subjectId: workspace.id, workspaceId: workspace.id });
    const found = await ffmpeg();
    const reportProgress = reportPeriodically();
    let stored = 0;
    const onStored = (): void => {
      stored += 1;
      reportProgress(() => `${count(stored, 'file')} so far`);
    };
    const report = await fillDemo(ports, workspace, { items, seed, ffmpeg: found?.path ?? null, onStored });
    const { images, videos, folders, profiles, posts, noVideos } = report;
    const made = { pictures: images, films: videos, folders, profiles, posts, no_films: noVideos };
    print(json, { workspace: { id: workspace.id, name: workspace.name }, ...made }, [
      `Filled workspace ${workspace.name} (${workspace.id}): ${count(images, 'image')}, ${count(videos, 'video')}, ` +
        `${count(folders, 'folder')}, ${count(profiles, 'profile')}, ${count(posts, 'post')}.`,
      ...(noVideos === null ? [] : [`Videos were left out: ${noVideos}.`]),
      `To sign in: ${invocation()} token create --workspace ${workspace.id}`,
    ]);
  }, open);
}

async function requireEmpty(ports: Resources, id: string, add: boolean): Promise<Workspace> {
  const workspace = await ports.workspaces.find(readId('workspace', id));
  if (!workspace) throw unknownId('workspace', id);
  const { media } = await ports.workspaces.contents(workspace.id);
  if (media > 0 && !add) {
    const why = `Workspace ${workspace.id} (${workspace.name}) already holds ${count(media, 'media item')}`;
    throw new CommandError(`${why}: pass --add to fill it anyway.`, { id: workspace.id, media });
  }
  return workspace;
}
