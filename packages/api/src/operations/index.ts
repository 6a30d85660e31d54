import { analytics } from './best-times/operations.ts';
import { fit } from './fit/operations.ts';
import { folders } from './folders/operations.ts';
import { imports } from './imports/operations.ts';
import { media } from './media/operations.ts';
import { posts } from './posts/operations.ts';
import { profiles } from './posts/profiles.ts';
import { presign } from './presign/operations.ts';
import { networks, readiness } from './readiness/operations.ts';

/** Every operation, by the two words that tRPC's clients call it by; the OpenAPI document has them in this order. */
export const operations = {
  folders,
  media: {
    get: media.get,
    list: media.list,
    importUrl: imports.importUrl,
    presign: presign.presign,
    confirm: presign.confirm,
    fit,
    update: media.update,
    delete: media.delete,
  },
  profiles,
  posts,
  analytics,
  networks,
  readiness,
};
