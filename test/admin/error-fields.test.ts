import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AdminClient, adminClient } from '../support/admin.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';
import { unique } from '../support/storage.ts';

interface Refused {
  code: string;
  message: string;
  fields?: { name: string; message: string }[];
}

forEachEngine((engine) => {
  describe('errors of the admin API', () => {
    let service: Service;
    let admin: AdminClient;
    before(async () => {
      service = await startService(engine);
      admin = await adminClient(service, 'admin');
    });
    after(() => service.close());

    it('name each bad field, beside the message', async () => {
      const list = unique('wl_');
      assert.equal((await admin.post('/waitlists', { id: list, name: 'Acme' })).status, 201);
      const { status, body: json } = await admin.patch<Refused>(`/waitlists/${list}`, {
        name: '',
        boost: -1,
      });
      assert.equal(status, 400);
      assert.deepEqual(json.fields?.map(({ name }) => name).sort(), ['boost', 'name']);
      for (const { name, message } of json.fields ?? [])
        assert.ok(json.message.includes(`${name}: ${message}`), name);
    });

    it('name the field of a conflict, and none where none is meant', async () => {
      const list = { id: unique('wl_'), name: 'Acme' };
      await admin.post('/waitlists', list);
      const taken = (await admin.post<Refused>('/waitlists', list)).body;
      assert.deepEqual(taken.fields, [{ name: 'id', message: `${list.id} already exists` }]);
      const missing = (await admin.get<Refused>('/waitlists/wl_missing')).body;
      assert.deepEqual(Object.keys(missing), ['code', 'message']);
    });

    it('leave errors of the public API as they are: a code and a message', async () => {
      const { status, body: json } = await service.request('POST', '/sdk/v1/waitlist/webhooks/verify', {
        body: { payload: 1 },
      });
      assert.equal(status, 400);
      assert.deepEqual(Object.keys(json as object), ['code', 'message']);
    });
  });
});
