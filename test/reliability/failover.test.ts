import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { explainPostgres } from '../../src/db/postgres/explain.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import { eventually, type List, type Service, startService } from '../support/harness.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { runCommand } from '../support/process.ts';

const CLIENTS = 4;
const PHASE = 40;

describe('a failover to a synchronous standby, with both servers in DATABASE_URL', () => {
  let pair: Pair;
  let service: Service;
  let list: List;
  let notified = 0;
  let endListening: () => Promise<void>;
  const acknowledged: string[] = [];
  let asked = 0;
  let underWay: Promise<unknown>;
  const url = () => pair.storage.environment.DATABASE_URL ?? '';

  before(async () => {
    pair = await startPair();
    service = await startService('postgres', { storage: pair.storage });
    list = await service.waitlist();
    endListening = await service.context.db.listen(() => {
      notified += 1;
    });
  });
  after(async () => {
    await endListening();
    await service.close();
    await pair.close();
  });

  /** As a careful client does it: the same request again until it is known what became of it. */
  const signUp = async () => {
    asked += 1;
    const email = `${asked}@example.com`;
    const { status } = await eventually(
      () => list.signup({ email }),
      (answer) => answer.status < 300,
    );
    assert.ok(status < 300, `${email}: ${status}`);
    acknowledged.push(email);
  };
  const signUpUntil = (enough: () => boolean) =>
    Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (!enough()) await signUp();
      }),
    );
  const foundAt = () =>
    service.log.flatMap((line) => {
      const { msg, server } = JSON.parse(line) as { msg: string; server?: string };
      return msg.startsWith('found the PostgreSQL server') ? [server] : [];
    });

  it('begins on the server that accepts writes, although another one comes first', async () => {
    await signUpUntil(() => acknowledged.length >= PHASE);
    assert.deepEqual(foundAt(), [new URL(pair.primary.url).host]);
  });

  it('says that no server accepts writes while that is so', async () => {
    underWay = signUpUntil(() => acknowledged.length >= 4 * PHASE);
    await eventually(
      async () => acknowledged.length,
      (count) => count >= 2 * PHASE,
    );
    await pair.primary.kill();
    const whyNot = async () => {
      const opened = openPostgres({ url: url(), poolSize: 1, limits: { connectMs: 1_000 } });
      const error = await opened.then(
        () => assert.fail('connected'),
        (reason: Error) => reason,
      );
      return explainPostgres(error, url()) ?? '';
    };
    // On a busy machine, the standby may not answer in time.
    const words = await eventually(whyNot, (text) => !text.includes('timeout expired'));
    assert.match(
      words,
      /^No server in DATABASE_URL accepts writes\. 127\.0\.0\.1:\d+ is read-only\. .*refused/,
    );
    assert.equal((await service.request('GET', '/healthz')).status, 200);
  });

  it('goes on after the promotion without a restart: nothing acknowledged is lost, doubled or misplaced', async () => {
    const before = acknowledged.length;
    assert.ok(before < 4 * PHASE, 'the primary died in the middle');
    await pair.promote();
    await underWay;
    assert.deepEqual(foundAt(), [new URL(pair.primary.url).host, new URL(pair.standby.url).host]);
    const entries = (await list.walk({ limit: 100 })) as PresentedEntry[];
    const emails = entries.map(({ email }) => email ?? '');
    assert.deepEqual(
      acknowledged.filter((email) => !emails.includes(email)),
      [],
    );
    assert.equal(new Set(emails).size, emails.length);
    assert.deepEqual(
      entries.map(({ position }) => position),
      entries.map((_, index) => index + 1),
    );
    const ready = await eventually(
      () => service.request('GET', '/readyz'),
      ({ status }) => status === 200,
    );
    assert.equal(ready.status, 200);
  });

  it('is followed by notifications and by commands', async () => {
    const before = notified;
    const heard = await eventually(
      async () => {
        await service.context.db.notify();
        return notified > before;
      },
      (is) => is,
    );
    assert.ok(heard);
    const { code, stdout, stderr } = await runCommand(pair.storage.environment, 'doctor');
    assert.ok(stdout.includes('positions') || code === 0, `${stdout}${stderr}`);
    assert.doesNotMatch(stdout, /^WRONG/m);
  });
});
