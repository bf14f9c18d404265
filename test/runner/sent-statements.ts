import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before } from 'node:test';
import pg from 'pg';

/** Where the processes of a run leave what they saw. */
const DIRECTORY = process.env.DOORLIST_TEST_RECORD ?? '';

let current: Set<string> | undefined;

/** All statements of the service are prepared, also those without a name. */
const { parse } = pg.Connection.prototype;
pg.Connection.prototype.parse = function (query, more) {
  current?.add(likeOthers(query.text));
  return parse.call(this, query, more);
};

/** For the suite of a file: writes down what is sent while it runs. */
export function recordStatements(file: string): void {
  before(() => {
    current = new Set();
  });
  after(() => {
    mkdirSync(DIRECTORY, { recursive: true });
    const name = `${file.replaceAll('/', '-')}.json`;
    writeFileSync(path.join(DIRECTORY, name), JSON.stringify({ file, sent: [...(current ?? [])] }));
    current = undefined;
  });
}

/** Lists of values have any length. */
function likeOthers(text: string): string {
  return text
    .replace(/\$\d+/g, '$')
    .replace(/\b\d+\b/g, '0')
    .replace(/'[^']*'/g, "''")
    .replace(/\([$, ]+\)/g, '($)')
    .replace(/(\(\$\)(, )?)+/g, '($)')
    .replace(/\s+/g, ' ');
}
