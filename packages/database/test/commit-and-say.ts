// Counts in a database, and says each number in a file once it is committed.
import { openSync, writeSync } from 'node:fs';
import { connect } from '../src/sqlite/connect.ts';

const [, , file = '', said = '', commits] = process.argv;
const database = await connect(file, 0);
database.pragma('synchronous = off');
const update = database.prepare('update numbers set number = ?');
const descriptor = openSync(said, 'r+');
for (let number = 1; number <= Number(commits); number += 1) {
  update.run(number);
  writeSync(descriptor, new Int32Array([number]), 0, 4, 0);
}
database.close();
