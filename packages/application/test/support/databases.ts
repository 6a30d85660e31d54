import { openSqlite } from '@postshelf/database';
import { testDatabases } from '@postshelf/testing/databases';

/** SQLite, as the program runs it. Every file whose tests open one says `afterEach(databases.closeAll)`. */
export const databases = testDatabases((file) => openSqlite(file));
