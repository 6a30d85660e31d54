import { fileURLToPath } from 'node:url';
import { isOneFile } from '../../telemetry/version.ts';

export const ownCommand = (): readonly [string, ...string[]] =>
  isOneFile() ? [process.execPath] : [process.execPath, fileURLToPath(new URL('../../main.ts', import.meta.url))];
