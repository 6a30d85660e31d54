import type { Migration } from 'kysely/migration';
import * as library from './0001-library.ts';
import * as imports from './0002-imports.ts';
import * as presigned from './0003-presigned.ts';
import * as posts from './0004-posts.ts';
import * as counts from './0005-counts.ts';
import * as libraryId from './0006-library-id.ts';
import * as objectChecks from './0007-object-checks.ts';
import * as removals from './0008-removals.ts';
import * as coversDue from './0009-covers-due.ts';
import * as mediaDetails from './0010-media-details.ts';
import * as duplicates from './0011-duplicates.ts';
import * as repeats from './0012-repeats.ts';
import * as location from './0013-location.ts';
import * as previews from './0014-previews.ts';
import * as fits from './0015-fits.ts';
import * as sessions from './0016-sessions.ts';
import * as largeLists from './0017-large-lists.ts';
import * as postDays from './0018-post-days.ts';
import * as largerLists from './0019-larger-lists.ts';
import * as fence from './0020-fence.ts';
import * as importRequests from './0021-import-requests.ts';
import * as events from './0022-events.ts';
import * as webhooks from './0023-webhooks.ts';
import * as listening from './0024-listening.ts';
import * as doctor from './0025-doctor.ts';
import * as quotas from './0026-quotas.ts';
import * as links from './0027-links.ts';
import * as operator from './0028-operator.ts';
import * as audit from './0029-audit.ts';
import * as people from './0030-people.ts';
import * as versions from './0031-versions.ts';
import * as search from './0032-search.ts';
import * as trash from './0033-trash.ts';
import * as resumable from './0034-resumable.ts';
import * as plannedPosts from './0035-planned-posts.ts';
import * as calendars from './0036-calendars.ts';
import * as spellings from './0037-spellings.ts';
import * as bestTimes from './0038-best-times.ts';

/** What has been done to PostgreSQL databases, in this order; as frozen as those of SQLite, whose numbers they share. */
export const POSTGRES_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-library': library,
  '0002-imports': imports,
  '0003-presigned': presigned,
  '0004-posts': posts,
  '0005-counts': counts,
  '0006-library-id': libraryId,
  '0007-object-checks': objectChecks,
  '0008-removals': removals,
  '0009-covers-due': coversDue,
  '0010-media-details': mediaDetails,
  '0011-duplicates': duplicates,
  '0012-repeats': repeats,
  '0013-location': location,
  '0014-previews': previews,
  '0015-fits': fits,
  '0016-sessions': sessions,
  '0017-large-lists': largeLists,
  '0018-post-days': postDays,
  '0019-larger-lists': largerLists,
  '0020-fence': fence,
  '0021-import-requests': importRequests,
  '0022-events': events,
  '0023-webhooks': webhooks,
  '0024-listening': listening,
  '0025-doctor': doctor,
  '0026-quotas': quotas,
  '0027-links': links,
  '0028-operator': operator,
  '0029-audit': audit,
  '0030-people': people,
  '0031-versions': versions,
  '0032-search': search,
  '0033-trash': trash,
  '0034-resumable': resumable,
  '0035-planned-posts': plannedPosts,
  '0036-calendars': calendars,
  '0037-spellings': spellings,
  '0038-best-times': bestTimes,
};
