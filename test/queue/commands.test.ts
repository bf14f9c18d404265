import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { COMMAND } from '../../src/lib/root.ts';
import { startInviteRun } from '../../src/waitlist/invites/invite-run.ts';
import { removeEntry } from '../../src/waitlist/invites/removal.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import type { PersonExport } from '../../src/waitlist/transfer/export/export-person.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import type { PresentedInviteDetails } from '../../src/wire/invite.ts';
import type { PresentedWaitlist } from '../../src/wire/waitlist.ts';
import { fillQueue } from '../support/crowd.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { command, typed } from '../support/terminal.ts';

const DAY_MS = 86_400_000;

forEachEngine((engine) => {
  let storage: Storage;
  let service: Service;
  before(async () => {
    storage = await createStorage(engine, { migrated: true });
    service = await startService(engine, { storage, startAt: Date.now() });
  });
  after(async () => {
    await service.close();
    await storage.remove();
  });

  const type = (...words: string[]) => typed(storage.environment, ...words);
  const succeed = async <T>(...words: string[]): Promise<T> => {
    const { code, error, json } = await command<T>(storage.environment, ...words);
    assert.equal(code, 0, error);
    return json;
  };
  const assertRefused = async (words: string[], code: 1 | 2, message: RegExp) => {
    const told = await command<{ code: string; message: string }>(storage.environment, ...words);
    assert.equal(told.code, code, told.error);
    assert.match(told.error, /^doorlist: /);
    assert.match(told.error, message);
    assert.doesNotMatch(told.error, /^\s+at /m, 'a stack is for defects');
    assert.match(told.json.message, message);
    assert.equal(told.json.code === 'usage', code === 2);
  };
  const filled = async (): Promise<List> => {
    const list = await service.waitlist();
    await list.signup(
      { email: 'a@example.com', metadata: { plan: 'pro', seats: 5, beta: true } },
      { phone: '+14155550100', metadata: { plan: 'pro' } },
      { email: 'c@example.com', metadata: { plan: 'free' } },
      { email: 'd@example.com', referredBy: 'c@example.com' },
    );
    return list;
  };

  describe('entry', () => {
    it('add a person as a signup does, and say whether they are emailed', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'grace@example.com' });
      const words = ['entry', 'add', 'ada@example.com', '--waitlist', list.id];
      const data = ['--metadata', '{"name":"Ada"}', '--referred-by', 'grace@example.com'];
      const added = await succeed<{ entry: PresentedEntry; created: boolean; mailable: { reason: string } }>(
        ...words,
        ...data,
      );
      assert.deepEqual([added.created, added.mailable.reason], [true, 'kind_off']);
      assert.deepEqual(
        [added.entry.metadata, added.entry.referredBy],
        [{ name: 'Ada' }, 'grace@example.com'],
      );
      const again = await succeed<{ created: boolean; mailable: null }>(...words);
      assert.deepEqual([again.created, again.mailable], [false, null]);
      await assertRefused(['entry', 'add', 'ada', '--waitlist', list.id], 1, /phone: not a phone number/);
      await assertRefused([...words, '--metadata', '{'], 2, /--metadata: must be a JSON object/);
    });

    it('show prints an entry as the API shows it, or a row for people', async () => {
      const list = await filled();
      const words = ['entry', 'show', 'C@example.com', '--waitlist', list.id];
      const { body } = await list.lookup('c@example.com');
      assert.deepEqual(await succeed<PresentedEntry>(...words), { ...body, missing: null });
      const { out } = await type(...words);
      assert.match(
        out,
        /^ID +WHO +STATUS +POSITION +REFERRALS +JOINED\nent_\w+ +c@example\.com +waiting +1 +1 /,
      );
      assert.match(
        (await type('entry', 'show', '+1 415 555 0100', '--waitlist', list.id)).out,
        /\+14155550100/,
      );
      await assertRefused(['entry', 'show', 'x@example.com', '--waitlist', list.id], 1, /no entry with this/);
      await assertRefused([...words, '--env', 'development'], 1, /no entry with this/);
      await assertRefused([...words, '--env', 'nowhere'], 1, /there is no environment nowhere/);
      await assertRefused(['entry', 'show', 'a@example.com'], 2, /--waitlist is required/);
      await assertRefused(['entry', 'show', '--waitlist', list.id], 2, /EMAIL_OR_PHONE is required/);
    });

    it('list prints a segment, page by page', async () => {
      const list = await filled();
      const words = ['entry', 'list', '--waitlist', list.id];
      const names = async (...more: string[]) =>
        (await succeed<PresentedEntry[]>(...words, ...more)).map(({ email, phone }) => email ?? phone);
      assert.deepEqual(await succeed(...words), await list.walk());
      assert.deepEqual(await names('--where', 'plan=pro'), ['a@example.com', '+14155550100']);
      assert.deepEqual(await names('--where', 'plan=pro', '--where', 'seats=5'), ['a@example.com']);
      assert.deepEqual(await names('--where', 'beta=true'), ['a@example.com']);
      assert.deepEqual(await names('--min-referrals', '1'), ['c@example.com']);
      assert.deepEqual(await names('--status', 'invited'), []);
      assert.deepEqual(await names('--joined-before', '2020-01-01'), []);
      assert.equal((await names('--joined-after', '2020-01-01T00:00:00Z')).length, 4);
      const [first, second] = await succeed<PresentedEntry[]>(...words, '--limit', '2');
      assert.deepEqual([first?.email, second?.phone], ['a@example.com', '+14155550100']);
      assert.deepEqual(await names('--limit', '2', '--after', second?.id ?? ''), [
        'c@example.com',
        'd@example.com',
      ]);
      assert.equal((await type(...words)).out.split('\n').length, 5);
      await assertRefused([...words, '--where', 'plan'], 2, /--where: must be KEY=VALUE/);
      await assertRefused([...words, '--where', '=pro'], 2, /--where: must be KEY=VALUE/);
      await assertRefused(
        [...words, '--min-referrals', 'many'],
        2,
        /--min-referrals: must be a whole number/,
      );
      await assertRefused(
        [...words, '--joined-before', 'tomorrow'],
        2,
        /--joined-before: must be an ISO 8601/,
      );
      await assertRefused(
        [...words, '--joined-after', '2026-13-45'],
        2,
        /--joined-after: must be an ISO 8601/,
      );
      await assertRefused([...words, '--status', 'gone'], 2, /--status: must be one of pending, /);
      await assertRefused([...words, '--limit', '201'], 2, /--limit: must be a whole number from 1 to 200/);
      await assertRefused([...words, '--after', 'ent_x'], 1, /there is no entry ent_x/);
    });

    it('confirm moves a pending entry to waiting', async () => {
      const list = await service.waitlist();
      await updateWaitlist(service.context, list.id, { confirmEmails: true });
      await list.signup({ email: 'p@example.com' });
      const { id } = (await list.lookup('p@example.com')).body;
      const words = ['entry', 'confirm', id, '--waitlist', list.id];
      assert.deepEqual(await succeed(...words), { id, confirmed: true });
      assert.deepEqual(await succeed(...words), { id, confirmed: false });
      assert.match((await type(...words)).out, /was already confirmed/);
      assert.equal((await list.lookup('p@example.com')).body.status, 'waiting');
    });

    it('takes an email or a phone number wherever it takes the id of an entry', async () => {
      const list = await service.waitlist();
      await updateWaitlist(service.context, list.id, { confirmEmails: true });
      await list.signup({ email: 'p@example.com' });
      const { id } = (await list.lookup('p@example.com')).body;
      const to = ['--waitlist', list.id];
      assert.deepEqual(await succeed('entry', 'confirm', 'P@example.com', ...to), { id, confirmed: true });
      await list.signup({ phone: '+14155550123', referredBy: 'p@example.com' });
      const idsOf = async (...words: string[]) =>
        (await succeed<{ id: string }[]>('entry', 'list', ...words, ...to)).map((each) => each.id);
      const after = await idsOf('--after', 'p@example.com');
      assert.equal(after.length, 1);
      assert.deepEqual(await idsOf('--referrer', 'p@example.com'), after);
      assert.deepEqual(await idsOf('--after', '+14155550123'), []);
      await removeEntry(service.context, await list.queue(), id);
      assert.equal((await succeed<{ id: string }>('entry', 'restore', 'p@example.com', ...to)).id, id);
      for (const words of [['confirm'], ['restore'], ['list', '--after'], ['list', '--referrer']])
        await assertRefused(
          ['entry', ...words, 'x@example.com', ...to],
          1,
          /there is no entry with this email/,
        );
      await assertRefused(['entry', 'confirm', 'ent_x', ...to], 1, /there is no entry ent_x/);
    });

    it('export prints all data about a person, and remove erases it', async () => {
      const list = await filled();
      await list.invite('a@example.com');
      const about = (verb: string) => ['entry', verb, 'a@example.com', '--waitlist', list.id];
      const held = await succeed<PersonExport>(...about('export'));
      assert.deepEqual(held.entry?.metadata, { plan: 'pro', seats: 5, beta: true });
      assert.equal(held.invites.length, 1);
      assert.deepEqual(JSON.parse((await type(...about('export'))).out), held);
      assert.deepEqual(await succeed(...about('remove')), { id: held.entry?.id, removed: true });
      await assertRefused(about('export'), 1, /no entry with this email/);
      await assertRefused(about('remove'), 1, /no such entry/);
      const { id } = (await list.lookup('d@example.com')).body;
      assert.match(
        (await type('entry', 'remove', id, '--waitlist', list.id)).out,
        new RegExp(`Removed ${id}`),
      );
      assert.equal((await list.page({ status: 'removed' })).body.total, 2);
    });
  });

  it('entry remove --never-joined leaves no trace of an entry', async () => {
    const list = await filled();
    const { total } = (await list.page({})).body;
    const { id } = (await list.lookup('a@example.com')).body;
    const words = ['entry', 'remove', 'a@example.com', '--never-joined', '--waitlist', list.id];
    assert.equal(
      (await type(...words)).out.trim(),
      `Removed ${id}, as if they had never joined. All personal data was erased.`,
    );
    assert.equal((await list.page({})).body.total, total - 1);
    await assertRefused(words, 1, /no such entry/);
  });

  it('entry restore puts a person back who was removed, and not one who was erased', async () => {
    const list = await filled();
    const { id } = (await list.lookup('a@example.com')).body;
    const words = ['entry', 'restore', id, '--waitlist', list.id];
    await assertRefused(words, 1, /not removed/);
    await removeEntry(service.context, await list.queue(), id);
    assert.equal((await succeed<PresentedEntry>(...words)).status, 'waiting');
    await removeEntry(service.context, await list.queue(), id);
    assert.match((await type(...words)).out, /a@example\.com +waiting/);
    await succeed('entry', 'remove', id, '--waitlist', list.id);
    await assertRefused(words, 1, /was erased/);
  });

  it('leaderboard prints the top referrers', async () => {
    const list = await filled();
    const words = ['leaderboard', '--waitlist', list.id];
    assert.deepEqual(
      (await succeed<PresentedEntry[]>(...words)).map(({ email, referrals }) => [email, referrals]),
      [['c@example.com', 1]],
    );
    assert.match((await type(...words)).out, /WHO.*\n.*c@example\.com/);
    await assertRefused([...words, '--limit', 'all'], 2, /--limit: must be a whole number/);
  });

  describe('invite', () => {
    it("create takes the waitlist's expiry unless it is given one, or --no-expiry", async () => {
      const list = await filled();
      await updateWaitlist(service.context, list.id, { inviteExpiryMs: DAY_MS });
      const words = ['invite', 'create', '--waitlist', list.id, '--email', 'a@example.com'];
      const endsIn = async (...more: string[]) => {
        const { expiresAt, url, code } = await succeed<Record<string, string | null>>(...words, ...more);
        assert.ok(url?.endsWith(`/join/${code}`));
        return expiresAt ? Math.round((Date.parse(expiresAt) - Date.now()) / 60_000) : null;
      };
      assert.equal(await endsIn(), 24 * 60);
      assert.equal(await endsIn('--expires-in', '30m'), 30);
      assert.equal(await endsIn('--no-expiry'), null);
      assert.match(
        (await type(...words, '--no-expiry')).out,
        /^\w{32}\n\ninv_\w+, never expires\nNot emailed\./,
      );
      await assertRefused(
        [...words, '--no-expiry', '--expires-in', '1h'],
        2,
        /only one of --expires-in, --no-expiry/,
      );
      await assertRefused([...words, '--expires-in', 'soon'], 2, /--expires-in: must be a duration/);
      await assertRefused([...words, '--expires-at', 'soon'], 2, /--expires-at: must be an ISO 8601/);
      await assertRefused([...words, '--expires-at', '2020-01-01'], 1, /expires-at: must be in the future/);
    });

    it('first, segment, list and revoke-all work on many people at once', async () => {
      const list = await filled();
      const of = (...words: string[]) => [...words, '--waitlist', list.id];
      const run = await succeed<{ jobId: string; invited: number }>(...of('invite', 'first', '1'));
      assert.match(run.jobId, /^job_/);
      assert.equal(run.invited, 1);
      assert.equal((await list.lookup('c@example.com')).body.status, 'invited');
      const { out } = await type(...of('invite', 'segment', '--where', 'plan=pro', '--where', 'beta=true'));
      const [done, note] = out.split('\n');
      assert.equal(
        done,
        `Invited 1 person. Run \`${COMMAND} invite list --waitlist ${list.id}\` to see the codes.`,
      );
      assert.match(note ?? '', /^Not emailed\. There is no mail server/);
      assert.equal((await list.lookup('a@example.com')).body.status, 'invited');
      const listed = await succeed<PresentedInviteDetails[]>(...of('invite', 'list'));
      assert.deepEqual(listed.map(({ email, state }) => [email, state]).sort(), [
        ['a@example.com', 'live'],
        ['c@example.com', 'live'],
      ]);
      assert.match((await type(...of('invite', 'list'))).out, /^ID +STATE +EMAIL +CODE +EXPIRES\ninv_/);
      const [first, second] = listed;
      const behind = await succeed<PresentedInviteDetails[]>(
        ...of('invite', 'list', '--after', first?.id ?? ''),
      );
      assert.deepEqual(behind, [second]);
      assert.deepEqual(await succeed(...of('invite', 'revoke-all', '--dry-run')), { open: 2 });
      assert.deepEqual(await succeed(...of('invite', 'revoke-all', '--since', '2099-01-01')), { revoked: 0 });
      assert.deepEqual(await succeed(...of('invite', 'revoke-all')), { revoked: 2 });
      assert.equal((await type(...of('invite', 'revoke-all'))).out, 'Revoked 0 invites.');
      assert.equal((await list.page({ status: 'waiting' })).body.total, 4);
      await assertRefused(of('invite', 'first', 'ten'), 2, /COUNT: must be a whole number/);
      await assertRefused(of('invite', 'first', '0'), 2, /COUNT: must be a whole number from 1/);
      await assertRefused(of('invite', 'first'), 2, /COUNT is required/);
      await assertRefused(of('invite', 'segment'), 2, /at least one condition/);
      await assertRefused(of('invite', 'segment', '--where', 'x'), 2, /--where: must be KEY=VALUE/);
      await assertRefused(of('invite', 'list', '--after', 'ent_1'), 1, /after: must be an invite id/);
      await assertRefused(of('invite', 'list', '--limit', '-1'), 2, /--limit/);
    });

    it('first says why it invited fewer', async () => {
      const list = await filled();
      const of = (...words: string[]) => [...words, '--waitlist', list.id];
      await succeed(...of('invite', 'create', '--email', 'a@example.com'));
      await updateWaitlist(service.context, list.id, { confirmEmails: true });
      await list.signup({ email: 'unconfirmed@example.com' });
      const damaged = await service.context.registry.queue(list.id, 'production');
      await service.context.db.query
        .updateTable('entry')
        .set({ person: Buffer.alloc(60) })
        .where('queue_id', '=', damaged?.id ?? 0)
        .where('seq', '=', 4)
        .execute();
      const { out } = await type(...of('invite', 'first', '100'));
      assert.equal(
        out.split('\n')[0],
        'Invited 1 of 100. Nobody else could be invited: 1 waiting entry has no email address; ' +
          '1 entry cannot be decrypted (run `doctor`); 1 entry was already invited; ' +
          `1 entry has not confirmed their email yet. Run \`${COMMAND} invite list --waitlist ${list.id}\` to see the codes.`,
      );
      const again = await succeed<Record<string, unknown>>(...of('invite', 'first', '5'));
      const { jobId, mailable, ...rest } = again;
      assert.equal((mailable as { reason: string }).reason, 'no_mail_server');
      assert.match(String(jobId), /^job_/);
      assert.deepEqual(rest, {
        invited: 0,
        requested: 5,
        unreadable: 1,
        notInvited: { withoutEmail: 1, unreadable: 1, alreadyInvited: 2, pending: 1 },
      });
      const empty = await service.waitlist();
      const none = await type('invite', 'first', '3', '--waitlist', empty.id);
      assert.equal(none.out, 'Invited 0 of 3. Nobody else could be invited.');
    });

    it('resume continues an interrupted run', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await fillQueue(service.context, queue, 700);
      const stopped = startInviteRun(service.context, queue, { first: 650 }, null, () => {
        throw new Error('cut off');
      });
      await assert.rejects(stopped, /cut off/);
      const words = ['invite', 'resume', '--waitlist', list.id];
      await assertRefused([...words, '--job', 'job_x'], 1, /job id: must look like job_/);
      const { invited, jobId } = await succeed<{ jobId: string; invited: number }>(...words);
      assert.equal(invited, 650);
      await assertRefused(words, 1, /there is no unfinished job/);
      await assertRefused([...words, '--job', jobId], 1, new RegExp(`no unfinished job ${jobId}`));
      assert.equal((await list.page({ status: 'invited' })).body.total, 650);
    });
  });

  describe('waitlist update', () => {
    it('changes the given settings, and reranks everyone when the boost changes', async () => {
      const list = await filled();
      const words = ['waitlist', 'update', list.id];
      assert.equal((await list.lookup('c@example.com')).body.position, 1);
      const updated = await succeed<PresentedWaitlist>(
        ...words,
        ...['--name', 'New', '--boost', '0', '--referral-cap', '3', '--invite-expiry', '7d'],
        ...['--after-expiry', 'invited', '--confirm', 'on'],
      );
      assert.equal((await list.lookup('c@example.com')).body.position, 3);
      const { name, boost, referralCap, inviteExpiryMs, returnToQueue, confirmEmails } = updated;
      assert.deepEqual(
        [name, boost, referralCap, inviteExpiryMs, returnToQueue, confirmEmails],
        ['New', 0, 3, 7 * DAY_MS, false, true],
      );
      const reset = await succeed<PresentedWaitlist>(
        ...words,
        ...[
          '--referral-cap',
          'none',
          '--invite-expiry',
          'none',
          '--after-expiry',
          'waiting',
          '--confirm',
          'off',
        ],
      );
      assert.deepEqual(
        [reset.name, reset.boost, reset.referralCap, reset.inviteExpiryMs, reset.returnToQueue],
        ['New', 0, null, null, true],
      );
      assert.equal((await type(...words, '--boost', '5')).out, `Updated ${list.id}.`);
      assert.equal((await list.lookup('c@example.com')).body.position, 1);
    });

    it('names the invalid flag, and changes nothing', async () => {
      const list = await filled();
      const words = ['waitlist', 'update', list.id];
      await assertRefused(words, 1, /at least one setting is required/);
      await assertRefused([...words, '--boost', '1001'], 2, /--boost: must be a whole number from 0 to 1000/);
      await assertRefused([...words, '--boost', '1.5'], 2, /--boost: must be a whole number/);
      await assertRefused([...words, '--referral-cap', 'x'], 2, /--referral-cap: must be a whole number/);
      await assertRefused([...words, '--invite-expiry', '1w'], 2, /--invite-expiry: must be a duration/);
      await assertRefused([...words, '--invite-expiry', '0s'], 1, /invite-expiry: must be longer than 0/);
      await assertRefused(
        [...words, '--after-expiry', 'gone'],
        2,
        /--after-expiry: must be waiting or invited/,
      );
      await assertRefused([...words, '--confirm', 'yes'], 2, /--confirm: must be on or off/);
      await assertRefused([...words, '--name', ' '], 1, /name: must be 1 to 200 characters/);
      await assertRefused(['waitlist', 'update', 'wl_nowhere', '--boost', '1'], 1, /no waitlist wl_nowhere/);
      const entries = (...of: string[]) => ['entry', 'list', '--waitlist', ...of];
      await assertRefused(entries('wl_nowhere'), 1, /there is no waitlist wl_nowhere/);
      await assertRefused(entries(words[2] ?? '', '--env', 'test'), 1, /there is no environment test/);
    });
  });
});
