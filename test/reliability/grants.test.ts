import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALL_GRANTS, databaseOfAnother } from '../support/another-role.ts';
import { CITUS_URL } from '../support/citus.ts';
import { afterTest } from '../support/cleanup.ts';
import { assertError, eventually, startService } from '../support/harness.ts';
import { command, typed } from '../support/terminal.ts';

interface Status {
  findings: { what: string; ok: boolean; detail: string }[];
}

describe('a user of PostgreSQL who does not own the tables', {
  skip: CITUS_URL !== undefined && 'the tests share its database',
}, () => {
  it('can serve with grants, and is not ready without those that a signup needs', async () => {
    const { role, storage, sql } = await databaseOfAnother();
    await sql(`grant ${ALL_GRANTS} on all tables in schema public to ${role}`);
    const service = await startService('postgres', { storage });
    afterTest(service.close);
    const readiness = (wanted: number) =>
      eventually(
        () => service.request('GET', '/readyz'),
        ({ status }) => status === wanted,
      );
    const list = await service.waitlist();
    assert.equal((await list.signup({ email: 'ada@example.com' })).status, 201);
    assert.equal((await readiness(200)).status, 200);

    await sql(`revoke insert on entry from ${role}`);
    await sql(`revoke update on delivery from ${role}`);
    assertError(await list.signup({ email: 'grace@example.com' }), 503, 'unavailable');
    assertError(await readiness(503), 503, 'unavailable');
    const log = service.log.join('');
    const reason = `user \\\\"${role}\\\\" may not use delivery, entry: grant it select, insert, update and delete`;
    assert.match(log, new RegExp(`${reason}.*"msg":"readiness: not ready"`));
    assert.match(log, /permission denied for table entry/);
    assert.doesNotMatch(log, /"stack"/);
    assert.equal((await list.lookup('ada@example.com')).status, 200, 'the rest works');

    await sql(`grant ${ALL_GRANTS} on all tables in schema public to ${role}`);
    assert.equal((await readiness(200)).status, 200);
    assert.equal((await list.signup({ email: 'grace@example.com' })).status, 201);
  });

  it('stays ready without those that a signup does not need, and health names them', async () => {
    const { role, storage, sql } = await databaseOfAnother();
    await sql(`grant ${ALL_GRANTS} on all tables in schema public to ${role}`);
    await sql(`revoke delete on audit, saved_segment from ${role}`);
    const service = await startService('postgres', { storage });
    afterTest(service.close);
    assert.equal((await service.request('GET', '/readyz')).status, 200);
    const { code, json } = await command<Status>(storage.environment, 'status');
    assert.equal(code, 1);
    const { detail = '' } = json.findings.find(({ what }) => what === 'permissions') ?? {};
    assert.equal(
      detail,
      `user "${role}" may not use audit, saved_segment: grant it select, insert, update and delete on all tables of Doorlist`,
    );
  });

  it('is told which grants are missing, not to create what is there', async () => {
    const { role, storage } = await databaseOfAnother();
    for (const words of [['status'], ['waitlist', 'list'], ['migrate']]) {
      const { code, out, error } = await typed(storage.environment, ...words);
      // `status` reports what it finds; the others are worth another try.
      assert.equal(code, words[0] === 'status' ? 1 : 75, words.join(' '));
      assert.match(
        out + error,
        new RegExp(
          `denied user "${role}" access \\(permission denied for table \\w+\\)\\. Grant it select, insert, `,
        ),
      );
    }
  });
});
