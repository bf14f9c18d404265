import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sharedNow } from '../../src/db/shared-clock.ts';
import { startOutbox } from '../../src/installation/start-outbox.ts';
import { LANGUAGES, textsIn } from '../../src/languages/languages.ts';
import { HOUR_MS } from '../../src/lib/time.ts';
import { saveTemplate } from '../../src/mail/templates.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { MAILS_PER_DAY_MAX } from '../../src/waitlist/forms/limits.ts';
import { removeEntry } from '../../src/waitlist/invites/removal.ts';
import { type LinkPurpose, signLink } from '../../src/waitlist/links/links.ts';
import { suppress } from '../../src/waitlist/links/suppression.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { adminClient, auditOf, succeeded } from '../support/admin.ts';
import { openForm } from '../support/forms.ts';
import { forEachEngine, type List, type Service } from '../support/harness.ts';
import type { MailServer } from '../support/mail-server.ts';
import {
  countMails,
  type Mailing,
  type MailingList,
  mailInState,
  mailingList,
  mailsArrived,
  mailsOf,
  nothingPending,
  startMailing,
  withMailing,
} from '../support/mails.ts';
import { typed } from '../support/terminal.ts';
import { endpointFor } from '../support/webhooks.ts';

const HTML = { accept: 'text/html' };
const ADA = 'ada@example.com';
const TYPED = 'Difference engines';
const ASKS = { download: /Download my data/, deletion: /Delete my data/ };
type Ask = keyof typeof ASKS;

interface Totals {
  downloads: number;
  deletions: number;
  removed: number;
}

/** The link of a page, as the person has it from an email. */
async function linkTo(service: Service, list: List, email: string, purpose: LinkPurpose): Promise<string> {
  const queue = await list.queue();
  const { id } = (await list.lookup(email)).body;
  return signLink(queue, purpose, { id, at: await sharedNow(service.context) });
}

forEachEngine((engine) => {
  describe('people and their own data', () => {
    let server: MailServer;
    let service: Mailing;
    withMailing(engine, (made) => {
      ({ server, service } = made);
    });

    const page = (path: string, language = '') =>
      service.request('GET', path, { headers: { ...HTML, 'accept-language': language } });
    const press = (path: string) => service.request('POST', path, { headers: HTML });
    const signedUp = async (person: object = {}) => {
      const list = await mailingList(service, []);
      await list.signup({ email: ADA, metadata: { about: TYPED }, ...person });
      return list;
    };
    const statusOf = async (list: List, email = ADA) => `/s/${await linkTo(service, list, email, 'status')}`;
    /** Asks on the status page, and takes the link from the email. */
    const asked = async (list: MailingList, ask: Ask, mails = 1) => {
      const answer = await press(`${await statusOf(list)}/${ask}`);
      assert.match(answer.text, /Check your inbox/);
      const mail = (await mailsArrived(server, list, mails)).at(-1);
      assert.equal(mail?.parsed.to?.[0]?.address, ADA);
      const [, path] = /doorlist\.example(\/data\/[\w-]+)/.exec(mail?.parsed.text ?? '') ?? [];
      return path ?? assert.fail(mail?.parsed.text);
    };
    const totalsOf = async ({ id }: List) => {
      const admin = await adminClient(service);
      const answer = await admin.get<{ totals: Totals }>(`/waitlists/${id}/statistics`);
      const { totals } = succeeded(answer);
      return { downloads: totals.downloads, deletions: totals.deletions, removed: totals.removed };
    };
    const actsOn = async (id: string) =>
      (await auditOf(service, `entry:${id}`)).map(({ action, actor, details }) => [
        action,
        actor,
        details.address,
      ]);

    it('download it with a link from an email, as often as they like for an hour', async () => {
      const list = await signedUp();
      const { id } = (await list.lookup(ADA)).body;
      const path = await asked(list, 'download');
      const shown = await page(path);
      assert.match(shown.text, /Download your data/);
      assert.doesNotMatch(shown.text, /<script/);
      assert.deepEqual(await totalsOf(list), { downloads: 0, deletions: 0, removed: 0 });
      for (const _ of [1, 2]) {
        const file = await press(path);
        assert.equal(file.status, 200);
        assert.match(file.headers.get('content-type') ?? '', /^application\/json/);
        assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename="my-data.json"$/);
        assert.match(file.headers.get('cache-control') ?? '', /no-store/);
        const data = JSON.parse(file.text);
        assert.equal(data.entry.id, id);
        assert.equal(data.entry.email, ADA);
        assert.deepEqual(data.entry.metadata, { about: TYPED });
        assert.ok(data.events.some(({ kind }: { kind: string }) => kind === 'email.data-download'));
      }
      assert.deepEqual(await totalsOf(list), { downloads: 2, deletions: 0, removed: 0 });
      const act = ['entry.exported', 'person', null];
      assert.deepEqual(await actsOn(id), [act, act]);
      service.clock.advance(HOUR_MS + 1);
      for (const late of [await page(path), await press(path)]) {
        assert.equal(late.status, 410);
        assert.match(late.text, /expired/);
        assert.match(late.text, /href="\.\.\/s\//);
      }
      assert.equal((await totalsOf(list)).downloads, 2);
    });

    it('delete it with a link from an email, once', async () => {
      const list = await signedUp();
      const { id } = (await list.lookup(ADA)).body;
      const path = await asked(list, 'deletion');
      assert.match((await page(path)).text, /Delete your data/);
      assert.equal((await list.lookup(ADA)).status, 200, 'looking at it deletes nobody');
      const [one, two] = await Promise.all([press(path), press(path)]);
      assert.deepEqual([one.status, two.status].sort(), [200, 404]);
      assert.match(one.text + two.text, /all your data were erased/);
      assert.equal((await list.lookup(ADA)).status, 404);
      assert.equal((await page(path)).status, 404);
      assert.deepEqual(await totalsOf(list), { downloads: 0, deletions: 1, removed: 1 });
      assert.deepEqual(await actsOn(id), [['entry.erased', 'person', null]]);
      await list.signup({ email: ADA });
      assert.equal((await press(path)).status, 404, 'a new entry has nothing to do with it');
      assert.equal((await list.lookup(ADA)).status, 200);
    });

    it('are counted when they leave by the link of any email, too', async () => {
      const list = await signedUp();
      const { id } = (await list.lookup(ADA)).body;
      const path = `/leave/${await linkTo(service, list, ADA, 'leave')}`;
      const [one, two] = await Promise.all([press(path), press(path)]);
      assert.deepEqual([one.status, two.status].sort(), [200, 404]);
      assert.deepEqual(await totalsOf(list), { downloads: 0, deletions: 1, removed: 1 });
      assert.deepEqual(await actsOn(id), [['entry.erased', 'person', null]]);
      const queue = await list.queue();
      await recountQueue(service.context, queue, true);
      assert.deepEqual(await totalsOf(list), { downloads: 0, deletions: 1, removed: 1 }, 'recounted');
    });

    it('get nothing with a link for something else', async () => {
      const list = await signedUp();
      for (const purpose of ['confirm', 'leave', 'status'] as const) {
        const path = `/data/${await linkTo(service, list, ADA, purpose)}`;
        assert.equal((await page(path)).status, 404, purpose);
        assert.equal((await press(path)).status, 404, purpose);
      }
      const download = await linkTo(service, list, ADA, 'download');
      for (const path of [`/leave/${download}`, `/s/${download}`, `/data/${download.slice(0, -1)}`])
        assert.equal((await page(path)).status, 404, path);
      assert.equal((await list.lookup(ADA)).status, 200);
    });

    it('learn nothing about others from it', async () => {
      const list = await signedUp();
      const queue = await list.queue();
      const endpoint = await endpointFor(service.context, queue, 'http://127.0.0.1:9/');
      await list.signup({ email: 'grace@example.com' });
      await list.signup({ email: 'edith@example.com', referredBy: 'grace@example.com' });
      await list.signup({ email: 'hedy@example.com', referredBy: 'edith@example.com' });
      const path = `/data/${await linkTo(service, list, 'edith@example.com', 'download')}`;
      const { text } = await press(path);
      assert.doesNotMatch(text, /grace@|hedy@|ada@/);
      const { entry, events } = JSON.parse(text);
      assert.equal(entry.referredBy, 'another person');
      const kinds = events.map(({ kind }: { kind: string }) => kind);
      assert.deepEqual(kinds, ['signup.created', 'referral.credited'], endpoint.id);
    });

    it('cannot be emailed more often than the form may, with nothing in it that was typed', async () => {
      const list = await signedUp();
      for (const kind of ['data-download', 'data-deletion'] as const)
        await saveTemplate(service.context, list.id, kind, {
          subject: `${list.name} {{ metadata.about }}`,
          body: `${list.name} {{ metadata.about }} {{ downloadLink }}{{ deletionLink }}`.replace(
            kind === 'data-download' ? '{{ deletionLink }}' : '{{ downloadLink }}',
            '',
          ),
        });
      const path = await statusOf(list);
      const answers = [];
      for (const ask of ['download', 'deletion', 'download', 'deletion', 'download'])
        answers.push((await press(`${path}/${ask}`)).text);
      assert.equal(new Set(answers).size, 1, 'the limit is not told');
      await nothingPending(service.context, list);
      for (const { parsed } of await mailsArrived(server, list, MAILS_PER_DAY_MAX)) {
        assert.doesNotMatch(`${parsed.subject} ${parsed.text}`, new RegExp(TYPED));
        assert.equal(
          parsed.headers.some(({ key }) => key === 'list-unsubscribe'),
          false,
        );
      }
    });

    it('are not known to whoever only typed their address', async () => {
      const list = await signedUp();
      const form = await openForm(service, {}, list);
      const strangers = [];
      for (const email of [ADA, 'nobody@example.com']) {
        const { body } = await form.join({ email, include: 'status' });
        const path = new URL(body.statusUrl ?? '').pathname;
        const shown = (await page(path)).text;
        for (const words of Object.values(ASKS)) assert.match(shown, words);
        const answers = [];
        for (const ask of Object.keys(ASKS)) answers.push((await press(`${path}/${ask}`)).text);
        strangers.push(answers.join());
      }
      assert.equal(strangers[0], strangers[1]);
      await nothingPending(service.context, list);
      const known = mailsOf(server, list).filter(({ parsed }) => parsed.to?.[0]?.address === ADA);
      assert.equal(known.length, 2, 'its owner gets the links');
    });

    it('can have it after they were removed or unsubscribed, and not once nothing is stored', async () => {
      const list = await signedUp();
      const queue = await list.queue();
      const status = await statusOf(list);
      const email = queue.vault.hash('email', ADA);
      await suppress(service.context.db.query, queue, email, 'unsubscribed', service.clock.now);
      const { id } = (await list.lookup(ADA)).body;
      await removeEntry(service.context, queue, id);
      for (const words of Object.values(ASKS)) assert.match((await page(status)).text, words);
      const path = await asked(list, 'deletion');
      assert.equal((await press(path)).status, 200);
      for (const words of Object.values(ASKS)) assert.doesNotMatch((await page(status)).text, words);
      assert.match((await press(`${status}/download`)).text, /can’t email you/);
    });

    it('are promised no email where none can be sent', async () => {
      const bounced = await signedUp();
      const queue = await bounced.queue();
      const hash = queue.vault.hash('email', ADA);
      await suppress(service.context.db.query, queue, hash, 'bounced', service.clock.now);
      const phone = '+4915112345678';
      const byPhone = await mailingList(service, []);
      await byPhone.signup({ phone });
      for (const [list, who] of [
        [bounced, ADA],
        [byPhone, phone],
      ] as const) {
        const path = await statusOf(list, who);
        for (const words of Object.values(ASKS)) assert.doesNotMatch((await page(path)).text, words);
        for (const ask of Object.keys(ASKS))
          assert.match((await press(`${path}/${ask}`)).text, /can’t email you/);
        assert.equal(await countMails(service.context, list), 0);
      }
    });

    it('cannot be kept from it: no waitlist turns these emails on or off', async () => {
      const list = await mailingList(service, []);
      const kinds = ['data-download' as 'confirm'];
      await assert.rejects(updateMailSettings(service.context, list.id, { kinds }), /unknown kind/);
      const words = ['mail', 'settings', '--waitlist', list.id, '--kinds', 'confirm,data-download'];
      const { code, error } = await typed(service.storage.environment, ...words);
      assert.equal(code, 2);
      assert.match(error, /unknown email kind "data-download"/);
    });

    it('read about it in their language', async () => {
      const list = await signedUp();
      const status = await statusOf(list);
      for (const language of LANGUAGES) {
        const { ownData } = textsIn(language);
        const shown = (await page(status, language)).text;
        for (const words of [ownData.download, ownData.delete]) assert.ok(shown.includes(words), language);
        const path = `/data/${await linkTo(service, list, ADA, 'deletion')}`;
        assert.ok((await page(path, language)).text.includes(ownData.deleteTitle), language);
      }
    });
  });

  describe('an email with a link to somebody’s data', () => {
    let service: Mailing;
    withMailing(engine, (made) => {
      ({ service } = made);
    });

    it('is not sent once the link has expired', async () => {
      const list = await mailingList(service, []);
      await list.signup({ email: ADA });
      const queue = await list.queue();
      const path = `/s/${await linkTo(service, list, ADA, 'status')}`;
      await service.stopSending();
      await service.request('POST', `${path}/download`, { headers: HTML });
      service.clock.advance(HOUR_MS + 1);
      const outbox = await startOutbox(service.context, service.config, { pollMs: 50 });
      const { id, error } = await mailInState(service, queue, 'failed');
      await outbox.stop();
      assert.match(error ?? '', /its link has expired/);
      const admin = await adminClient(service);
      const again = await admin.post(`/waitlists/${list.id}/mails/${id}/resend`);
      assert.equal(again.status, 400);
      assert.match(again.text, /its link has expired/);
    });
  });

  describe('people and their own data without a mail server', () => {
    let service: Mailing;
    before(async () => {
      service = await startMailing(engine);
    });
    after(() => service.close());

    it('are promised no email', async () => {
      const list = await mailingList(service, []);
      await list.signup({ email: ADA });
      const path = `/s/${await linkTo(service, list, ADA, 'status')}`;
      const shown = await service.request('GET', path, { headers: HTML });
      for (const [ask, words] of Object.entries(ASKS)) {
        assert.doesNotMatch(shown.text, words);
        const answer = await service.request('POST', `${path}/${ask}`, { headers: HTML });
        assert.match(answer.text, /can’t email you/);
      }
      assert.equal(await countMails(service.context, list), 0);
    });
  });
});
