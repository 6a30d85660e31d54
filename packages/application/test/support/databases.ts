import { openSqlite } from '@postshelf/database';
import { testDatabases } from '@postshelf/testing/databases';

/** Opens SQLite databases as the program does. Every test file that opens one calls `afterEach(databases.closeAll)`. */
export const databases = testDatabases((file) => openSqlite(file));
