import type { Config } from '../../config/config.ts';
import { locateFiles } from './files.ts';
import type { UnopenedStorage } from './media-store.ts';
import { locateBucket } from './s3.ts';

export const locateStorage = async (config: Config): Promise<UnopenedStorage> =>
  config.s3 ? locateBucket(config, config.s3) : locateFiles(config);
