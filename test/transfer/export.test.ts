import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Status } from '../../src/db/tables.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { importFile } from '../../src/waitlist/transfer/import/import-start.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import { exportEntries } from '../../src/wire/export.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-export-pages-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const PEOPLE = 2_500;
const email = (at: number) => `p${at}@example.com`;
/** Some of the last have brought so many that they overtake thousands, others only a few places. */
const referrerOf = (at: number) =>
  at % 5 === 1 ? email(2_400 + (at % 8)) : at % 50 === 2 ? email(at - 1) : '';

forEachEngine('bulk', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  async function exported(list: List, status?: Status): Promise<PresentedEntry[]> {
    let text = '';
    const options = { format: 'jsonl', ...(status === undefined ? {} : { status }) } as const;
    for await (const piece of exportEntries(service.context, await list.queue(), options)) text += piece.text;
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  describe('an export of several pages', () => {
    for (const boost of [5, 1_000]) {
      it(`shows every entry as the API does, positions included, with a boost of ${boost}`, async () => {
        const list = await service.waitlist({ boost });
        const file = path.join(directory, `${engine}-${boost}.csv`);
        const rows = Array.from({ length: PEOPLE }, (_, at) => `${email(at)},${referrerOf(at)}`);
        writeFileSync(file, `email,referred_by\n${rows.join('\n')}\n`);
        await importFile(service.context, await list.queue(), file, {});
        await list.invite(email(3));
        await list.invite(email(2_401));
        await eraseEntry(service.context, await list.queue(), email(1_500));
        const shown = await list.walk({ limit: 200 });
        assert.equal(shown.length, PEOPLE);
        assert.deepEqual(await exported(list), shown);
        for (const status of ['waiting', 'invited', 'removed'] as const) {
          const wanted = shown.filter((entry) => entry.status === status);
          assert.deepEqual(await exported(list, status), wanted);
        }
      });
    }
  });
});
