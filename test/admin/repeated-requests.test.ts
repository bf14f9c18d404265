import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { COPIED_TABLES } from '../../src/db/table-keys.ts';
import { DAY_MS } from '../../src/lib/time.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { forgetAnswers } from '../../src/waitlist/requests/repeated-requests.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { type AdminClient, adminClient, succeeded } from '../support/admin.ts';
import { adminDocumentOf, operationsOf } from '../support/documented.ts';
import { type Call, everyChange, type Prepare } from '../support/every-change.ts';
import {
  type Answer,
  assertError,
  forEachEngine,
  type List,
  type Service,
  startService,
} from '../support/harness.ts';
import { unique } from '../support/storage.ts';
import { command, jsonOf } from '../support/terminal.ts';
import { LOOPBACK } from '../support/webhooks.ts';

/** Those whose repetition does nothing again: they read, replace, or belong to the session of a person. */
const WITHOUT_KEY = [
  ...['addPasskey', 'changePassword', 'confirmTwoFactor', 'disableTwoFactor', 'dismissFirstSteps'],
  ...['forgotPassword', 'previewForm', 'previewImport', 'previewMailTemplate', 'renewRecoveryCodes'],
  ...['setPassword', 'setUp', 'showWebhookSecret', 'signIn', 'signInWithPasskey', 'startPasskey'],
  ...['startPasskeySignIn', 'startTwoFactor', 'uploadLogo'],
];

const WITH_KEY = [
  ...['addEntry', 'approveEntry', 'confirmErasure', 'createAdminToken', 'createCode'],
  ...['createEnvironment', 'createExport', 'createGateKey', 'createImport', 'createInvites'],
  ...['createMailEventKey', 'createOperatorLink', 'createProductKey', 'createRule', 'createSegment'],
  ...['createWaitlist', 'createWaitlistKey', 'createWave', 'createWebhookEndpoint', 'decideEntries'],
  ...[
    'decideReferralReview',
    'declineEntry',
    'inviteOperator',
    'mergeEntries',
    'reconsiderEntry',
    'refuseErasure',
  ],
  ...['replayDeliveries', 'replayDelivery', 'requestErasure', 'resendConfirmation'],
  ...['resendConfirmations', 'resendInvite', 'resendMail', 'restoreEntry', 'retryMails'],
  ...['revokeInvites', 'rotateFormKey', 'rotateProductKey', 'rotateWaitlistKey', 'rotateWebhookSecret'],
  ...['sendKeptMails', 'testAlerts', 'testMailTemplate', 'testWebhookEndpoint', 'undoImport'],
];

interface Posting {
  operation: string;
  /** As the document says. */
  takesKey: boolean;
}

forEachEngine('concurrency', (engine) => {
  describe('a request that is repeated', () => {
    let service: Service;
    let admin: AdminClient;
    let list: List;
    let posts: Posting[];
    before(async () => {
      service = await startService(engine, {
        environment: {
          ...LOOPBACK,
          DOORLIST_PUBLIC_URL: 'https://doorlist.example',
          // Nothing is sent: that would take a dispatcher.
          DOORLIST_SMTP_URL: 'smtp://127.0.0.1:9',
          DOORLIST_MAIL_FROM: 'hello@acme.example',
        },
      });
      admin = await adminClient(service);
      list = await service.waitlist();
      const document = await adminDocumentOf(service);
      posts = operationsOf(document)
        .filter(({ method }) => method === 'post')
        .map(({ operation: { operationId, parameters = [] } }) => ({
          operation: operationId,
          takesKey: parameters.some((one) => one.in === 'header' && one.name === 'Idempotency-Key'),
        }));
    });
    after(() => service.close());

    const changes = everyChange(() => ({ service, admin }));
    const idOf = (answer: Answer) => (answer.body as { id: string }).id;
    const pending = async (of: List): Promise<string> => {
      await updateWaitlist(service.context, of.id, { confirmEmails: true });
      await of.signup({ email: 'ada@example.com' });
      const { body } = await admin.get<{ entries: { id: string }[] }>(`/waitlists/${of.id}/entries`);
      return body.entries[0]?.id ?? '';
    };
    const POSTS: Record<string, Prepare> = {
      ...changes,
      inviteOperator: () => ({
        path: '/operators',
        body: { email: `${unique('o')}@example.com`, role: 'viewer' },
        gets: 201,
      }),
      createOperatorLink: async () => {
        const invited = await admin.post<{ operator: { id: string } }>('/operators', {
          email: `${unique('o')}@example.com`,
          role: 'viewer',
        });
        return { path: `/operators/${invited.body.operator.id}/link`, gets: 201 };
      },
      createAdminToken: () => ({ path: '/tokens', body: { name: 'ci', role: 'viewer' }, gets: 201 }),
      resendConfirmation: async (of) => ({
        path: `/waitlists/${of.id}/entries/${await pending(of)}/confirmation`,
      }),
      resendConfirmations: async (of) => {
        await pending(of);
        return { path: `/waitlists/${of.id}/mails/confirmations`, body: {}, gets: 202 };
      },
      sendKeptMails: (of) => ({
        path: `/waitlists/${of.id}/mails/send-kept`,
        body: {},
        gets: 202,
      }),
    };

    const send = (
      { path, body, rawBody, type }: Call,
      key: string,
      { by = admin, method = 'POST' }: { by?: AdminClient; method?: string } = {},
    ) =>
      by.request(method, path, {
        ...(rawBody === undefined ? { body } : { rawBody }),
        headers: { 'idempotency-key': key, ...(type === undefined ? {} : { 'content-type': type }) },
      });
    const isRepeated = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true';
    const invite = (email: string, of = list): Call => ({
      path: `/waitlists/${of.id}/invites`,
      body: { email },
    });
    const openInvites = async (of: List) => {
      const { body } = await admin.get<{ invites: { id: string }[] }>(`/waitlists/${of.id}/invites`);
      return body.invites.length;
    };
    /** How many rows each table has. */
    const countRows = async () => {
      const counts: Record<string, number> = {};
      for (const table of COPIED_TABLES) {
        const { count } = await service.context.db.query
          .selectFrom(table)
          .select((e) => e.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        counts[table] = Number(count);
      }
      return counts;
    };

    it('takes a key wherever sending it again would do something again', () => {
      const names = (takesKey: boolean) =>
        posts
          .filter((one) => one.takesKey === takesKey)
          .map(({ operation }) => operation)
          .sort();
      assert.deepEqual(names(false), WITHOUT_KEY.toSorted());
      assert.deepEqual(names(true), WITH_KEY);
    });

    for (const operation of WITH_KEY) {
      it(`gets the same answer from ${operation}, which does nothing again`, async () => {
        const call = await (POSTS[operation] as Prepare)(await service.waitlist());
        const key = unique('k');
        const first = await send(call, key);
        assert.equal(first.status, call.gets ?? 200, first.text);
        assert.equal(isRepeated(first), false);
        const rows = await countRows();
        const again = await send(call, key);
        assert.deepEqual([again.status, again.text], [first.status, first.text]);
        assert.equal(isRepeated(again), true, 'its changes are not in the transaction of the request');
        assert.deepEqual(await countRows(), rows);
        // The answer is kept sealed.
        const kept = await service.context.db.query.selectFrom('repeated_request').select('answer').execute();
        for (const { answer } of kept)
          assert.doesNotMatch(Buffer.from(answer ?? []).toString('latin1'), /example\.com|dl_live|"status"/);
      });
    }

    it('is done once, however many arrive at the same time at two instances', async () => {
      const { storage } = service;
      const other = await startService(engine, { storage });
      try {
        const of = await service.waitlist();
        // The same actor at both, so with the same token.
        const token = succeeded(
          await admin.post<{ token: string }>('/tokens', { name: 'ci', role: 'admin' }),
          201,
        );
        const at = (instance: Service) => (path: string, key: string, body: unknown) =>
          instance.request(`POST`, `/admin/v1${path}`, {
            key: token.token,
            body,
            headers: { 'idempotency-key': key },
          });
        const instances = [at(service), at(other)];
        const { path } = invite('', of);
        for (let round = 0; round < 5; round += 1) {
          const email = `r${round}@example.com`;
          const answers = await Promise.all(
            Array.from({ length: 8 }, (_, n) => instances[n % 2]?.(path, `race ${round}`, { email })),
          );
          const texts = new Set(answers.map((answer) => `${answer?.status} ${answer?.text}`));
          assert.equal(texts.size, 1, [...texts].join('\n'));
          assert.match([...texts][0] ?? '', /^201 /);
        }
        assert.equal(await openInvites(of), 5);
      } finally {
        await other.close();
      }
    });

    it('is refused if it asks for something else', async () => {
      const of = await service.waitlist();
      succeeded(await send(invite('ada@example.com', of), 'one'), 201);
      for (const call of [
        invite('bob@example.com', of),
        { ...invite('ada@example.com', of), body: { email: 'ada@example.com', dryRun: true } },
      ]) {
        const answer = await send(call, 'one');
        assertError(answer, 409, 'conflict');
        assert.match(answer.text, /Idempotency-Key/);
      }
      assert.equal(await openInvites(of), 1);
    });

    it('is the same in whatever order its fields are', async () => {
      const of = await service.waitlist();
      const path = `/waitlists/${of.id}/invites`;
      const [one, two] = [
        { email: 'ada@example.com', expiresAt: null },
        { expiresAt: null, email: 'ada@example.com' },
      ];
      const first = await send({ path, body: one }, 'order');
      const again = await send({ path, body: two }, 'order');
      assert.equal(again.text, first.text);
    });

    it('is another one with another key, by somebody else, for another operation or waitlist', async () => {
      const of = await service.waitlist();
      const call = invite('ada@example.com', of);
      const support = await adminClient(service, 'support');
      const answers = [
        await send(call, 'same'),
        await send(call, 'other'),
        await send(call, 'same', { by: support }),
        await send(invite('ada@example.com', await service.waitlist()), 'same'),
      ];
      assert.deepEqual(
        answers.map(({ status, headers }) => [status, headers.get('idempotent-replayed')]),
        answers.map(() => [201, null]),
      );
      assert.equal(new Set(answers.map(idOf)).size, 4);
      succeeded(
        await send({ path: `/waitlists/${of.id}/entries`, body: { email: 'x@example.com' } }, 'same'),
        201,
      );
    });

    it('is another one after a day, and nothing is kept for longer', async () => {
      const of = await service.waitlist();
      const queue = await of.queue();
      const call = invite('ada@example.com', of);
      const first = await send(call, 'daily');
      const kept = async () => {
        const rows = service.context.db.query.selectFrom('repeated_request').select('created_at');
        return (await rows.where('queue_id', '=', queue.id).execute()).length;
      };
      service.clock.advance(DAY_MS - 1);
      await forgetAnswers(service.context);
      assert.equal(idOf(await send(call, 'daily')), idOf(first));
      service.clock.advance(1);
      const [next, beside] = await Promise.all([send(call, 'daily'), send(call, 'daily')]);
      assert.notEqual(idOf(next), idOf(first));
      assert.equal(idOf(beside), idOf(next));
      assert.equal(await kept(), 1);
      service.clock.advance(DAY_MS);
      await forgetAnswers(service.context);
      assert.equal(await kept(), 0);
    });

    it('that was refused, or only asked, is done when it can be', async () => {
      const of = await service.waitlist();
      const path = `/waitlists/${of.id}/entries`;
      const call = { path, body: { email: 'ada@example.com' } };
      await updateWaitlist(service.context, of.id, { closed: true });
      assertError(await send(call, 'later'), 409, 'waitlist_closed');
      await updateWaitlist(service.context, of.id, { closed: false });
      succeeded(await send(call, 'later'), 201);
      const preview = { path: `/waitlists/${of.id}/invites`, body: { first: 1, dryRun: true } };
      const [asked, again] = [await send(preview, 'asked'), await send(preview, 'asked')];
      assert.deepEqual([asked.status, again.status, isRepeated(again)], [200, 200, false]);
    });

    it('that fails half-way leaves nothing', async () => {
      const of = await service.waitlist();
      const rows = await countRows();
      const { db } = service.context;
      const transaction = db.transaction.bind(db);
      // The connection is lost at the commit.
      const lost: typeof transaction = (work, options) =>
        transaction(async (trx) => {
          await work(trx);
          throw new Error('lost');
        }, options);
      Object.assign(db, { transaction: lost });
      const call = invite('ada@example.com', of);
      const failed = await send(call, 'half');
      Object.assign(db, { transaction });
      assertError(failed, 500, 'internal_error');
      assert.deepEqual(await countRows(), rows);
      succeeded(await send(call, 'half'), 201);
      assert.equal(await openInvites(of), 1);
    });

    it('is known by its whole file, and leaves nothing of the second one', async () => {
      const of = await service.waitlist();
      const file = (rawBody: string): Call => ({
        path: `/waitlists/${of.id}/imports`,
        rawBody,
        type: 'text/csv',
      });
      const first = await send(file('email\nada@example.com\n'), 'file');
      assert.equal(first.status, 202, first.text);
      const rows = await countRows();
      const both = await Promise.all([1, 2].map(() => send(file('email\nada@example.com\n'), 'file')));
      for (const again of both) assert.equal(idOf(again), idOf(first));
      assertError(await send(file('email\nbob@example.com\n'), 'file'), 409, 'conflict');
      assert.deepEqual(await countRows(), rows);
    });

    it('is not answered with what was erased, and not done again', async () => {
      const of = await service.waitlist();
      await of.signup({ email: 'ada@example.com' });
      const call = invite('ada@example.com', of);
      succeeded(await send(call, 'erased'), 201);
      await eraseEntry(service.context, await of.queue(), 'ada@example.com');
      const answer = await send(call, 'erased');
      assertError(answer, 409, 'conflict');
      assert.match(answer.text, /erased/);
      const { answer: kept } = await service.context.db.query
        .selectFrom('repeated_request')
        .select('answer')
        .where('queue_id', '=', (await of.queue()).id)
        .executeTakeFirstOrThrow();
      assert.equal(kept, null);
    });

    it('has a key of 1 to 255 printable ASCII characters', async () => {
      const of = await service.waitlist();
      for (const key of ['', 'x'.repeat(256), 'é'])
        assertError(await send(invite('ada@example.com', of), key), 400, 'invalid_request');
      succeeded(await send(invite('ada@example.com', of), 'x'.repeat(255)), 201);
      assert.equal(await openInvites(of), 1);
    });

    it('is forgotten with its waitlist', async () => {
      const of = await service.waitlist();
      succeeded(await send(invite('ada@example.com', of), 'gone'), 201);
      succeeded(await admin.delete(`/waitlists/${of.id}`, { confirm: of.id }));
      assertError(await send(invite('ada@example.com', of), 'gone'), 404, 'not_found');
    });

    it('is a command that is run again, too', async () => {
      const of = await service.waitlist();
      const { environment } = service.storage;
      const run = (email: string, ...more: string[]) =>
        command(environment, 'invite', 'create', '--waitlist', of.id, '--email', email, ...more);
      const key = ['--idempotency-key', unique('c')];
      const [first, again] = [await run('ada@example.com', ...key), await run('ada@example.com', ...key)];
      assert.equal(first.code, 0, first.error);
      assert.equal(again.out, first.out);
      const other = await run('bob@example.com', ...key);
      assert.deepEqual([other.code, other.json.code], [1, 'conflict']);
      assert.equal((await run('bob@example.com', '--idempotency-key', '')).code, 2);
      assert.equal(await openInvites(of), 1);
      const token = () => jsonOf(environment, 'admin-token', 'create', '--name', 'ci', ...key);
      assert.deepEqual(await token(), await token());
    });
  });
});
