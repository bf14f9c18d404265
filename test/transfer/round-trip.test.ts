import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import type { Status } from '../../src/db/tables.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import type { Format } from '../../src/waitlist/transfer/files/row-file.ts';
import { importFile } from '../../src/waitlist/transfer/import/import-start.ts';
import { exportEntries } from '../../src/wire/export.ts';
import { openForm } from '../support/forms.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';
import { jsonOf, typed } from '../support/terminal.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-export-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** What files and spreadsheets like to break. */
const TEXTS = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  "'",
  "'=1",
  "''+1",
  'a,b;c\td',
  'two\nlines\r\nand more',
  'say "hi"',
  ' spaces around ',
  '{"json":true}',
  'null',
  '🎉 ünï',
  '',
];

forEachEngine('bulk', (engine) => {
  let service: Service;
  before(async () => {
    // Before the real now, which is the one of the command line.
    service = await startService(engine, { startAt: Date.UTC(2025, 5, 1) });
  });
  after(() => service.close());

  async function exportText(list: List, format: Format, status?: Status): Promise<string> {
    let text = '';
    const options = { format, ...(status === undefined ? {} : { status }) };
    for await (const piece of exportEntries(service.context, await list.queue(), options)) text += piece.text;
    return text;
  }

  async function fill(list: List): Promise<void> {
    const odd = ['=cmd@example.com', '+plus@example.com', "-'minus@example.com", 'Größe@exämple.com'];
    await list.signup(...odd.map((email) => ({ email, metadata: { text: email } })));
    await list.signup({ phone: '+14155550123', referredBy: odd[0] }, { email: 'gone@example.com' });
    service.clock.advance(86_400_000);
    await list.signup(
      ...TEXTS.map((text, at) => ({
        email: `t${at}@example.com`,
        metadata: { text, [`key ${text}`]: [text, { n: at, f: 1.5, yes: true, none: null }] },
        referredBy: at % 2 === 0 ? odd[0] : '+14155550123',
      })),
      { email: 'empty@example.com', metadata: {}, referredBy: 'gone@example.com' },
    );
    await eraseEntry(service.context, await list.queue(), 'gone@example.com');
  }

  describe('an export', () => {
    for (const format of ['csv', 'jsonl'] as const) {
      it(`as ${format} can be imported with the same people, order, times, metadata and referrals`, async () => {
        const old = await service.waitlist();
        await fill(old);
        const file = path.join(directory, `${engine}.${format}`);
        writeFileSync(file, await exportText(old, format));
        const list = await service.waitlist();
        service.clock.advance(1_000);
        const { report, found, ...result } = await importFile(service.context, await list.queue(), file, {});
        assert.deepEqual([report.service, report.warnings, found.referralsUnresolved], ['Doorlist', [], 0]);
        const people = (await old.walk()).filter(({ status }) => status !== 'removed');
        assert.deepEqual(
          { ...result, jobId: null },
          {
            jobId: null,
            rows: people.length + 1,
            created: people.length,
            skipped: 1,
            failed: 0,
            codesTaken: 0,
            errorsFile: null,
            badRowsFile: null,
          },
        );
        const shown = (entries: typeof people) =>
          entries.map(({ id, referralCode, ...same }) => ({ ...same, position: null }));
        assert.deepEqual(shown(await list.walk()), shown(people));
        const order = async (of: List) => (await of.walk({ sort: 'position' })).map(({ email }) => email);
        assert.deepEqual(await order(list), await order(old));
      });
    }

    it('has every field of an entry, and no cell that a spreadsheet would evaluate', async () => {
      const list = await service.waitlist();
      await fill(list);
      const rows = parse(await exportText(list, 'csv')) as string[][];
      const [first] = await list.walk();
      assert.deepEqual(rows[0], [...Object.keys(first ?? {}), 'language']);
      assert.ok(rows.length > TEXTS.length);
      for (const cell of rows.flat()) assert.doesNotMatch(cell, /^[=+\-@\t\r]/);
      const lines = (await exportText(list, 'jsonl')).trim().split('\n');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        await list.walk(),
      );
    });

    it('keeps the language in which people signed up, and those without one stay so', async () => {
      const { list: old, join } = await openForm(service);
      await join({ email: 'ada@example.com', lang: 'de' });
      await join({ email: 'bob@example.com', lang: 'zh-Hans' });
      await old.signup({ email: 'eve@example.com', metadata: { language: 'fr' } });
      const languages = async (of: List) => {
        const lines = (await exportText(of, 'jsonl')).trim().split('\n');
        return lines.map((line) => JSON.parse(line).language ?? null);
      };
      assert.deepEqual(await languages(old), ['de', 'zh', null]);
      for (const format of ['csv', 'jsonl'] as const) {
        const file = path.join(directory, `${engine}-languages.${format}`);
        writeFileSync(file, await exportText(old, format));
        const list = await service.waitlist();
        await importFile(service.context, await list.queue(), file, {});
        assert.deepEqual(await languages(list), ['de', 'zh', null]);
      }
    });

    it('can be imported if it is from before languages were in it, or with languages of another system', async () => {
      const old = await service.waitlist();
      await old.signup({ email: 'ada@example.com', metadata: { plan: 'pro' } });
      const csv = (await exportText(old, 'csv')).replaceAll(/,(?:language)?\r\n/g, '\r\n');
      assert.match(csv, /,joinedAt\r\n/);
      const file = path.join(directory, `${engine}-before.csv`);
      writeFileSync(file, csv);
      const list = await service.waitlist();
      await importFile(service.context, await list.queue(), file, {});
      assert.deepEqual((await list.lookup('ada@example.com')).body.metadata, { plan: 'pro' });
      writeFileSync(file, 'email,tongue\nbob@example.com,pt-PT\neve@example.com,tlh\n');
      const { failed } = await importFile(service.context, await list.queue(), file, {
        map: 'tongue=language',
      });
      assert.equal(failed, 0);
      const lines = (await exportText(list, 'jsonl')).trim().split('\n');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).language ?? null),
        [null, 'pt', null],
      );
    });

    it('can be limited to one status', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'a@example.com' }, { email: 'b@example.com' });
      await list.invite('b@example.com');
      const lines = (await exportText(list, 'jsonl', 'invited')).trim().split('\n');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).email),
        ['b@example.com'],
      );
    });

    it('can be written and read by the command line', async () => {
      const [old, list] = [await service.waitlist(), await service.waitlist()];
      await fill(old);
      const { environment } = service.storage;
      const out = path.join(directory, `${engine}-command.csv`);
      const count = (await old.walk()).length;
      assert.deepEqual(await jsonOf(environment, 'export', '--waitlist', old.id, '--out', out), {
        file: out,
        entries: count,
      });
      assert.equal(statSync(out).mode & 0o777, 0o600);
      const printed = await runCommand(environment, 'export', '--waitlist', old.id);
      assert.equal(printed.stdout, readFileSync(out, 'utf8'));
      const imported = await jsonOf(environment, 'import', out, '--waitlist', list.id);
      assert.equal(imported.created, count - 1);
      const usage = await typed(environment, 'export', '--waitlist', old.id, '--json');
      assert.deepEqual([usage.code, JSON.parse(usage.out).code], [2, 'usage']);
    });
  });
});
