import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { confirmSegment } from '../../src/waitlist/entries/confirm-entry.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { exportPerson as readPerson } from '../../src/waitlist/transfer/export/export-person.ts';
import { type ImportOptions, importFile } from '../../src/waitlist/transfer/import/import-start.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { exportEntries, presentPerson } from '../../src/wire/export.ts';
import { documentedClient } from '../support/documented-client.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { jsonOf, typed } from '../support/terminal.ts';

const exportPerson = async (...person: Parameters<typeof readPerson>) =>
  presentPerson(await readPerson(...person));

const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-dead-ends-'));
after(() => rmSync(directory, { recursive: true, force: true }));

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  function fileOf(text: string, name = 'people.csv'): string {
    const file = path.join(directory, `${engine}-${name}`);
    writeFileSync(file, text);
    return file;
  }

  async function importText(list: List, text: string, options: ImportOptions = {}, name?: string) {
    const result = await importFile(service.context, await list.queue(), fileOf(text, name), options);
    assert.deepEqual((await recountQueue(service.context, await list.queue(), false)).findings, []);
    return result;
  }

  async function doubleOptIn(): Promise<List> {
    const list = await service.waitlist();
    await updateWaitlist(service.context, list.id, { confirmEmails: true });
    return list;
  }

  const statuses = async (list: List) =>
    Object.fromEntries((await list.walk()).map(({ email, status }) => [email?.[0], status]));

  describe('confirming in bulk', () => {
    it('confirms the pending entries of a segment, or all, and credits their referrers', async () => {
      const list = await doubleOptIn();
      const queue = await list.queue();
      const rows = Array.from({ length: 1_200 }, (_, at) => `p${at}@example.com,a@example.com,free`);
      await importText(
        list,
        `email,referred_by,plan\na@example.com,,pro\nb@example.com,a@example.com,pro\n${rows.join('\n')}\n`,
      );
      assert.equal((await list.lookup('b@example.com')).body.status, 'pending');
      const pro = { pairs: [{ key: 'plan', value: 'pro' }] };
      assert.deepEqual(await confirmSegment(service.context, queue, pro, 'ada'), { confirmed: 2 });
      assert.equal((await list.lookup('a@example.com')).body.referrals, 1);
      assert.equal((await list.lookup('b@example.com')).body.status, 'waiting');
      assert.equal((await list.lookup('p7@example.com')).body.status, 'pending');
      assert.deepEqual(await confirmSegment(service.context, queue, {}, 'ada'), { confirmed: 1_200 });
      assert.deepEqual(await confirmSegment(service.context, queue, {}, 'ada'), { confirmed: 0 });
      assert.equal((await list.lookup('a@example.com')).body.referrals, 1_201);
      assert.equal((await list.lookup('a@example.com')).body.position, 1);
      assert.deepEqual((await recountQueue(service.context, queue, false)).findings, []);
      const { operatorConfirmation } = await exportPerson(service.context, queue, 'p7@example.com');
      const at = new Date(service.clock.now).toISOString();
      assert.deepEqual(operatorConfirmation, { source: 'operator', by: 'ada', at });
    });

    it('stops at the cap of the waitlist', async () => {
      const list = await doubleOptIn();
      await updateWaitlist(service.context, list.id, { referralCap: 2 });
      const rows = Array.from({ length: 5 }, (_, at) => `p${at}@example.com,a@example.com`);
      await importText(list, `email,referred_by\na@example.com,\n${rows.join('\n')}\n`);
      await confirmSegment(service.context, await list.queue(), {}, 'ada');
      assert.equal((await list.lookup('a@example.com')).body.referrals, 2);
      assert.deepEqual((await recountQueue(service.context, await list.queue(), false)).findings, []);
    });

    it('is a command that takes one entry, conditions, or --all', async () => {
      const list = await doubleOptIn();
      const { environment } = service.storage;
      await importText(list, 'email,plan\na@example.com,x\nb@example.com,y\nc@example.com,z\n');
      const { id } = (await list.lookup('a@example.com')).body;
      const confirm = (...words: string[]) =>
        jsonOf(environment, 'entry', 'confirm', '--waitlist', list.id, ...words);
      assert.deepEqual(await confirm(id), { id, confirmed: true });
      assert.deepEqual(await confirm('--where', 'plan=y'), { confirmed: 1 });
      assert.deepEqual(await confirm('--all'), { confirmed: 1 });
      for (const words of [[], [id, '--all'], ['--all', '--where', 'plan=y']]) {
        const { code } = await typed(environment, 'entry', 'confirm', '--waitlist', list.id, ...words);
        assert.equal(code, 2);
      }
    });
  });

  describe('an import as confirmed', () => {
    it('asks nobody to confirm, credits at once, and records who vouched for it', async () => {
      const list = await doubleOptIn();
      await importText(list, 'email,referred_by\na@example.com,\nb@example.com,a@example.com\n', {
        confirmedBy: 'ada',
      });
      assert.deepEqual(await statuses(list), { a: 'waiting', b: 'waiting' });
      assert.equal((await list.lookup('a@example.com')).body.referrals, 1);
      const queue = await list.queue();
      const held = await exportPerson(service.context, queue, 'b@example.com');
      const at = new Date(service.clock.now).toISOString();
      assert.deepEqual(held.operatorConfirmation, { source: 'import', by: 'ada', at });
      await eraseEntry(service.context, queue, 'b@example.com');
      const left = await service.context.db.query
        .selectFrom('operator_confirmation')
        .select('seq')
        .where('queue_id', '=', queue.id)
        .execute();
      assert.equal(left.length, 1);
    });

    it('is a flag of the command line', async () => {
      const list = await doubleOptIn();
      const file = fileOf('email\na@example.com\n', 'flag.csv');
      await jsonOf(service.storage.environment, 'import', file, '--waitlist', list.id, '--confirmed');
      assert.deepEqual(await statuses(list), { a: 'waiting' });
      const held = await exportPerson(service.context, await list.queue(), 'a@example.com');
      assert.equal(held.operatorConfirmation?.source, 'import');
      assert.match(held.operatorConfirmation?.by ?? '', /./);
    });
  });

  describe('a referral code of another system', () => {
    it('still credits its owner, until they are removed', async () => {
      const list = await service.waitlist();
      await importText(
        list,
        'email,referral_code\na@example.com,happy-star-4f3d\nb@example.com,K3V9X0AB\nc@example.com,k3v9x0ab\n',
      );
      await list.signup(
        { email: 'x1@example.com', referredBy: 'happy-star-4f3d' },
        { email: 'x2@example.com', referredBy: ' K3V9X0AB ' },
        { email: 'x3@example.com', referredBy: 'k3v9x0ab' },
        { email: 'x4@example.com', referredBy: 'HAPPY-STAR-4F3D' },
      );
      await list.signup({ email: 'x5@example.com', referredBy: 'happy-star-4f3d' });
      const referrers = (await list.walk()).slice(3).map(({ referredBy }) => referredBy);
      assert.deepEqual(referrers, ['a@example.com', 'b@example.com', 'c@example.com', null, 'a@example.com']);
      await eraseEntry(service.context, await list.queue(), 'a@example.com');
      await list.signup({ email: 'x6@example.com', referredBy: 'happy-star-4f3d' });
      assert.equal((await list.lookup('x6@example.com')).body.referredBy, null);
      assert.deepEqual((await recountQueue(service.context, await list.queue(), false)).findings, []);
    });

    it('is reported if no signup can name it, and still links the rows of the file', async () => {
      const list = await service.waitlist();
      const codes = ['Zoë', 'B code', 'a@b.example', '+14155550123', '+123', 'x'.repeat(65), 'fine-1'];
      const rows = codes.map((code, at) => `p${at}@example.com,${code},${at === 0 ? '' : codes[at - 1]}`);
      const { created, found, errorsFile, report } = await importText(
        list,
        `email,referral_code,referred_by\n${rows.join('\n')}\n`,
      );
      assert.deepEqual([created, found.codesUnusable], [7, 6]);
      const told = readFileSync(errorsFile ?? '', 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        told.map(({ line, field }) => [line, field]),
        [2, 3, 4, 5, 6, 7].map((line) => [line, 'referralCode']),
      );
      assert.match(told[0].reason, /^cannot be used by signups: a code has 1 to 64 printable ASCII/);
      assert.match(
        report.warnings.join('\n'),
        /^6 referral codes in "referral_code" cannot be used by signups/m,
      );
      for (const [index, code] of codes.entries()) {
        const email = `friend${index}@example.com`;
        const { status } = await list.signup({ email, referredBy: code });
        const referrer = status === 201 ? (await list.lookup(email)).body.referredBy : null;
        assert.equal(referrer, code === 'fine-1' ? 'p6@example.com' : null, code);
      }
      const referrers = (await list.walk()).slice(0, 7).map(({ referredBy }) => referredBy);
      assert.deepEqual(referrers, [
        ...[null, 'p0@example.com', 'p1@example.com'],
        ...[null, null, 'p4@example.com', 'p5@example.com'], // An email and a phone are nobody's code.
      ]);
    });

    it('belongs to its first owner, and the others are reported', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'own@example.com' });
      const own = (await list.lookup('own@example.com')).body.referralCode ?? '';
      const text = `email,referral_code\na@example.com,OLD-1\nb@example.com,OLD-1\nc@example.com,${own.toUpperCase()}\n`;
      const { created, failed, codesTaken, errorsFile } = await importText(list, text);
      assert.deepEqual({ created, failed, codesTaken }, { created: 3, failed: 0, codesTaken: 2 });
      const told = readFileSync(errorsFile ?? '', 'utf8')
        .trim()
        .split('\n');
      assert.deepEqual(
        told.map((line) => JSON.parse(line).line),
        [3, 4],
      );
      const again = await importText(list, 'email,referral_code\nd@example.com,OLD-1\na@example.com,OLD-1\n');
      assert.equal(again.codesTaken, 1);
      await list.signup(
        { email: 'x@example.com', referredBy: 'OLD-1' },
        { email: 'y@example.com', referredBy: own },
      );
      assert.equal((await list.lookup('x@example.com')).body.referredBy, 'a@example.com');
      assert.equal((await list.lookup('y@example.com')).body.referredBy, 'own@example.com');
    });

    it('is shown to operators with the share link, as far as it leads to its person', async () => {
      const list = await service.waitlist();
      const admin = await documentedClient(service, 'admin');
      await importText(
        list,
        'email,referral_code,plan\na@example.com,OLD-1,pro\nb@example.com,OLD-1,pro\nc@example.com,,pro\n',
      );
      await importText(list, 'email,referral_code\na@example.com,OLDER\n');
      const shareOf = async (who: string) => {
        const { id } = (await list.lookup(`${who}@example.com`)).body;
        const at = `/waitlists/${list.id}/entries/${id}`;
        await admin.call('updateEntry', 'PATCH', at, { body: { metadata: { plan: 'free' } } });
        return (await admin.call<object>('getEntryShare', 'GET', `${at}/share`)).body;
      };
      const none = { shareUrl: null, byForm: false, importedCode: null, otherCodes: 0 };
      assert.deepEqual(await shareOf('a'), { ...none, importedCode: 'OLD-1', otherCodes: 1 });
      assert.deepEqual(await shareOf('b'), none, 'the code is of a@example.com');
      assert.deepEqual(await shareOf('c'), none);
      const form = { body: { enabled: true } };
      await admin.call('updateForm', 'PATCH', `/waitlists/${list.id}/form`, form);
      const { referralCode } = (await list.lookup('c@example.com')).body;
      const shareUrl = `${service.config.publicUrl}/w/${list.id}?ref=${referralCode}`;
      assert.deepEqual(await shareOf('c'), { ...none, shareUrl });
      const person = await exportPerson(service.context, await list.queue(), 'a@example.com');
      assert.equal(person.importedCode, 'OLD-1');
    });

    it('links the people of a later import', async () => {
      const list = await service.waitlist();
      await importText(list, 'email,referral_code\na@example.com,OLD-1\n');
      await importText(list, 'email,referred_by\nb@example.com,OLD-1\n');
      assert.equal((await list.lookup('b@example.com')).body.referredBy, 'a@example.com');
    });
  });

  describe('an export that is imported elsewhere', () => {
    for (const format of ['csv', 'jsonl'] as const) {
      it(`as ${format} keeps referral codes working, and people who joined stay joined`, async () => {
        const old = await service.waitlist();
        await old.signup(...['a', 'b', 'c'].map((name) => ({ email: `${name}@example.com` })));
        await old.invite('b@example.com');
        const { code } = await old.invite('c@example.com');
        service.clock.advance(1_000);
        await service.accept(code);
        const before = await old.walk();
        let text = '';
        for await (const piece of exportEntries(service.context, await old.queue(), { format })) {
          text += piece.text;
        }
        const list = await doubleOptIn();
        await importText(list, text, {}, `elsewhere.${format}`);
        assert.deepEqual(await statuses(list), { a: 'pending', b: 'pending', c: 'joined' });
        const joined = (await list.lookup('c@example.com')).body;
        const { invitedAt, joinedAt } = before[2] ?? {};
        assert.deepEqual([joined.invitedAt, joined.joinedAt], [invitedAt, joinedAt]);
        await list.signup(
          ...before.map(({ referralCode }, at) => ({ phone: `+1415555010${at}`, referredBy: referralCode })),
        );
        const referrals = (await list.walk()).slice(0, 3).map((entry) => entry.referrals);
        assert.deepEqual(referrals, [1, 1, 1]);
      });
    }
  });
});
