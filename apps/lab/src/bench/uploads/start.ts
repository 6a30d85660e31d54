import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Script, startScript, withPrograms } from '../support/program.ts';
import { type Service, startNewService } from '../support/service.ts';

/** The service and the server with which it is compared. Both store files on the same disk. */
export interface Both {
  readonly service: Service;
  readonly bare: Script;
  /** The folder in which both servers and the benchmark store files. It is removed when the measurement is over. */
  readonly folder: string;
}

export const withBoth = <T>(use: (both: Both) => Promise<T>): Promise<T> =>
  withPrograms(async (folder, until) => {
    const [data, bareData] = [join(folder, 'data'), join(folder, 'bare')];
    await mkdir(bareData);
    const settings = { DATA_DIR: data, PREVIEWS_AHEAD: 'false' };
    const service = await until(startNewService(settings));
    const bare = await until(startScript(join(import.meta.dir, 'bare.ts'), { FOLDER: bareData }));
    return use({ service, bare, folder });
  });
