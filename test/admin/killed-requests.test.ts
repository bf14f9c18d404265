import assert from 'node:assert/strict';
import { it } from 'node:test';
import { afterTest } from '../support/cleanup.ts';
import { type Answer, clientFor, forEachEngine, startService } from '../support/harness.ts';
import { adminToken } from '../support/operators.ts';
import { startProcess } from '../support/process.ts';
import { createStorage } from '../support/storage.ts';

const KILLS = 3;
const AT_ONCE = 4;
/** Answers before each kill, so that it falls into the middle of work. */
const ANSWERED = 12;
const TIMEOUT_MS = 300_000;

forEachEngine('kills', (engine) => {
  it('what was sent with a key is done once, however often the server is killed before it answers', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const storage = await createStorage(engine, { migrated: true });
    afterTest(() => storage.remove());
    const service = await startService(engine, { storage, startAt: Date.now() });
    afterTest(() => service.close());
    const list = await service.waitlist();
    const path = `/admin/v1/waitlists/${list.id}/invites`;
    const key = await adminToken(service, 'admin');
    const answers = new Map<string, string>();
    const unanswered: string[] = [];
    let next = 0;
    let lost = 0;

    const post = async (url: string, email: string): Promise<Answer<{ id: string }> | undefined> => {
      const headers = { 'idempotency-key': email };
      const sent = clientFor(url).request<{ id: string }>('POST', path, { key, headers, body: { email } });
      return sent.catch(() => undefined);
    };
    for (let kill = 0; kill <= KILLS; kill += 1) {
      const server = await startProcess(storage.environment);
      afterTest(() => server.child.kill('SIGKILL'));
      // What had no answer is sent again, first of all.
      for (const email of unanswered.splice(0)) {
        const answer = await post(server.url, email);
        assert.equal(answer?.status, 201, answer?.text);
        answers.set(email, answer?.body.id ?? '');
      }
      if (kill === KILLS) {
        await server.stop();
        break;
      }
      let answered = 0;
      const send = async () => {
        while (server.child.exitCode === null && server.child.signalCode === null) {
          const email = `p${next}@example.com`;
          next += 1;
          const answer = await post(server.url, email);
          if (!answer || answer.status >= 500) {
            lost += 1;
            unanswered.push(email);
            return;
          }
          assert.equal(answer.status, 201, answer.text);
          answers.set(email, answer.body.id);
          answered += 1;
          if (answered === ANSWERED) server.child.kill('SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, send));
      await server.finished;
    }

    assert.ok(lost > 0, 'no answer was lost');
    const invites = await service.context.db.query.selectFrom('invite').select('id').execute();
    assert.equal(invites.length, next);
    assert.equal(answers.size, next);
    assert.equal(new Set(answers.values()).size, next);
  });
});
