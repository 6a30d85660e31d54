import { fileURLToPath } from 'node:url';
import { isOneFile } from '../../telemetry/version.ts';

/** The command by which this program starts itself; arguments are appended. */
export const ownCommand = (): readonly [string, ...string[]] =>
  isOneFile() ? [process.execPath] : [process.execPath, fileURLToPath(new URL('../../main.ts', import.meta.url))];
