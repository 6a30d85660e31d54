import { hasPrograms } from '@postshelf/testing/programs';

/**
 * The command that runs a process in a separate mount namespace, in which the process may mount file systems. The
 * namespace ends with the process.
 */
const ISOLATED = ['unshare', '--user', '--map-root-user', '--mount'];

/** Whether a process can mount file systems. @param untested what remains untested otherwise */
export const canMount = (untested: string): boolean =>
  hasPrograms(['unshare', 'mount'], untested) &&
  Bun.spawnSync([...ISOLATED, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).success;

/** Runs a program that mounts file systems, and returns the JSON that it prints. */
export async function runMounting(program: string, ...parameters: readonly string[]): Promise<unknown> {
  const child = Bun.spawn([...ISOLATED, process.execPath, program, ...parameters], { stdout: 'pipe', stderr: 'pipe' });
  const [printed, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if (complaints !== '') throw new Error(complaints);
  return JSON.parse(printed);
}
