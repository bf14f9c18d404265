import '../support/next-migrations.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALL_GRANTS, databaseOfAnother } from '../support/another-role.ts';
import { CITUS_URL } from '../support/citus.ts';
import { typed } from '../support/terminal.ts';

describe('an upgrade by a user of PostgreSQL who does not own the tables', {
  skip: CITUS_URL !== undefined && 'the tests share its database',
}, () => {
  it('names the grant that is missing, and then the owner', async () => {
    const { role, storage, sql } = await databaseOfAnother();
    await sql(`grant ${ALL_GRANTS} on all tables in schema public to ${role}`);
    await sql('update schema_version set version = version - 1');
    const migrate = () => typed(storage.environment, 'migrate');
    assert.match((await migrate()).error, /denied user .*run `migrate` as that one\./);
    await sql(`grant create on schema public to ${role}`);
    assert.match((await migrate()).error, /\(must be owner of .*Run `migrate` as the owner of the tables/);
  });
});
