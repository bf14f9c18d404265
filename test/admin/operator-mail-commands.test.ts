import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { OperatorMailView } from '../../src/mail/operators/mailbox.ts';
import { forEachEngine } from '../support/harness.ts';
import { type Mailing, PUBLIC_URL, startMailing } from '../support/mails.ts';
import { type Browser, setUp } from '../support/operators.ts';
import { command, jsonOf, typed } from '../support/terminal.ts';
import { until } from '../support/webhooks.ts';

type Listed = { mails: Pick<OperatorMailView, 'id' | 'kind' | 'to' | 'state'>[]; nextCursor: string | null };
type Shown = Pick<OperatorMailView, 'id' | 'kind' | 'to' | 'state' | 'mail' | 'log'>;

forEachEngine((engine) => {
  describe('commands about emails to operators', () => {
    let service: Mailing;
    let owner: Browser;
    const invited: { id: string; url: string }[] = [];
    before(async () => {
      service = await startMailing(engine);
      owner = await setUp(service);
      for (const email of ['ada@example.com', 'alan@example.com']) {
        service.clock.advance(1_000);
        const { body } = await owner.post<{ operator: { id: string }; link: { url: string } }>('/operators', {
          email,
          role: 'support',
        });
        invited.push({ id: body.operator.id, url: body.link.url });
      }
      await until('both are kept', async () => (await list('--state', 'kept')).mails.length === 2);
    });
    after(() => service.close());

    const environment = () => ({ ...service.storage.environment, DOORLIST_PUBLIC_URL: PUBLIC_URL });
    const list = (...flags: string[]) => jsonOf<Listed>(environment(), 'operator', 'mails', ...flags);
    const recipients = ({ mails }: Listed) => mails.map(({ to }) => to);

    it('list them by state and page by page, newest first', async () => {
      const all = await list();
      assert.deepEqual(recipients(all), ['alan@example.com', 'ada@example.com']);
      assert.deepEqual(
        all.mails.map(({ kind, state }) => `${kind} ${state}`),
        ['invitation kept', 'invitation kept'],
      );
      assert.deepEqual(await list('--state', 'failed'), { mails: [], nextCursor: null });
      const first = await list('--limit', '1');
      assert.deepEqual(recipients(first), ['alan@example.com']);
      const next = await list('--limit', '1', '--cursor', first.nextCursor ?? '');
      assert.deepEqual([recipients(next), next.nextCursor], [['ada@example.com'], null]);
      const { out } = await typed(environment(), 'operator', 'mails', '--limit', '1');
      assert.match(out, /^ID +KIND +TO +STATE +CREATED +ERROR\n/);
      assert.match(out, /invitation +alan@example\.com +kept/);
      assert.ok(out.endsWith(`Next page: --cursor ${first.nextCursor}`));
    });

    it('show one with its link and its attempts', async () => {
      const { mails } = await list();
      const id = mails[1]?.id ?? '';
      const shown = await jsonOf<Shown>(environment(), 'operator', 'mail', id);
      assert.deepEqual([shown.id, shown.kind, shown.to], [id, 'invitation', 'ada@example.com']);
      assert.equal(shown.mail?.subject, 'Your invitation to Doorlist on doorlist.example');
      assert.ok(shown.mail?.text.includes(invited[0]?.url ?? '-'));
      assert.deepEqual(
        shown.log.map(({ attempt, error }) => [attempt, error]),
        [[1, null]],
      );
      const { out } = await typed(environment(), 'operator', 'mail', id);
      assert.ok(out.startsWith(`${id}  invitation  kept\nFrom: Doorlist <`), out);
      assert.match(
        out,
        /\nTo: ada@example\.com\nSubject: Your invitation to Doorlist on doorlist\.example\n/,
      );
      assert.ok(out.includes(invited[0]?.url ?? '-'));
      assert.match(out, /\nATTEMPT +AT +STATUS +OUTCOME +RESPONSE\n1 /);
    });

    it('show nothing of an operator who was removed', async () => {
      const { mails } = await list();
      const id = mails[0]?.id ?? '';
      assert.equal((await owner.delete(`/operators/${invited[1]?.id}`)).status, 200);
      assert.deepEqual(recipients(await list()), [null, 'ada@example.com']);
      const shown = await jsonOf<Shown>(environment(), 'operator', 'mail', id);
      assert.deepEqual([shown.to, shown.mail], [null, null]);
      const { out } = await typed(environment(), 'operator', 'mail', id);
      assert.match(out, /\n\(erased or damaged\)$/);
    });

    it('say what is wrong', async () => {
      const refused = async (code: number, message: RegExp, ...words: string[]) => {
        const answer = await command<{ message: string }>(environment(), 'operator', ...words);
        assert.equal(answer.code, code);
        assert.match(answer.json.message, message);
      };
      await refused(2, /^--state: must be one of pending, sent, kept, failed/, 'mails', '--state', 'lost');
      await refused(2, /^--limit/, 'mails', '--limit', '0');
      await refused(1, /cursor: must be the nextCursor/, 'mails', '--cursor', 'x');
      await refused(1, /there is no such email/, 'mail', 'evt_06gxx2p9r1yn1vp1ryss481fhw');
      await refused(1, /there is no such email/, 'mail', 'nonsense');
    });
  });
});
