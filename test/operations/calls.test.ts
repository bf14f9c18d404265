import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadCommands } from '../../src/commands/command-groups.ts';
import { readConfig } from '../../src/config/config.ts';
import { OPERATIONS } from '../../src/operations/all.ts';
import { openOperationParts } from '../../src/operations/core/open-parts.ts';
import { methodOf, pathOf } from '../../src/operations/core/operation.ts';
import { perform } from '../../src/operations/core/perform.ts';
import { COMMAND_LINE } from '../../src/operators/roles.ts';
import { type AskInRoles, askInRoles } from '../support/admin.ts';
import { adminDocumentOf, operationsOf } from '../support/documented.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { command, jsonOf, typed } from '../support/terminal.ts';

interface Wave {
  id: string;
  name: string;
  state: string;
  keepOpen: number;
}

forEachEngine((engine) => {
  describe('operations without HTTP', () => {
    let storage: Storage;
    let service: Service;
    let ask: AskInRoles;
    let of: List;
    before(async () => {
      storage = await createStorage(engine, { migrated: true });
      service = await startService(engine, { storage });
      ask = await askInRoles(service, 'support');
      of = await service.waitlist();
    });
    after(async () => {
      await service.close();
      await storage.remove();
    });
    const call = <T = Wave>(...words: string[]) => jsonOf<T>(storage.environment, 'call', ...words);
    const refused = async (...words: string[]) =>
      (await command<{ code: string; message: string }>(storage.environment, 'call', ...words)).json;

    it('create, change and list the same things as the API, with a record of who did it', async () => {
      const made = await call('createWave', '--waitlist', of.id, '--name', 'Trickle', '--keep-open', '5');
      assert.deepEqual([made.name, made.keepOpen, made.state], ['Trickle', 5, 'scheduled']);
      const paused = await call('updateWave', made.id, '--waitlist', of.id, '--paused', 'on');
      assert.equal(paused.state, 'paused');
      const { body } = await ask<{ waves: Wave[] }>('GET', `/waitlists/${of.id}/waves`);
      assert.deepEqual(await call('listWaves', '--waitlist', of.id), body);
      const { body: trail } = await ask<{ records: { actor: { kind: string } }[] }>(
        'GET',
        '/audit?action=wave.paused',
        { role: 'admin' },
      );
      assert.equal(trail.records[0]?.actor.kind, 'command-line');
    });

    it('take input from a file, and flags go before it', async () => {
      const file = path.join(storage.dataDir, 'wave.json');
      writeFileSync(file, JSON.stringify({ name: 'From a file', keepOpen: 3 }));
      const made = await call('createWave', '--waitlist', of.id, '--input', file, '--keep-open', '4');
      assert.deepEqual([made.name, made.keepOpen], ['From a file', 4]);
    });

    it('answer what the API answers instead, such as for a dry run', async () => {
      const words = ['--waitlist', of.id, '--name', 'Dry', '--keep-open', '5', '--dry-run', 'on'];
      const forecast = await call<{ upcoming: unknown[] }>('createWave', ...words);
      assert.ok(Array.isArray(forecast.upcoming));
    });

    it('refuse what the API refuses, and name the flag', async () => {
      const there = ['--waitlist', of.id];
      assert.deepEqual(await refused('createWave', ...there, '--keep-open', '5'), {
        code: 'invalid_request',
        message: '--name: is required',
      });
      assert.match(
        (await refused('createWave', ...there, '--keep-open', 'x')).message,
        /^--keep-open: must be a whole number from 1 to 999999999/,
      );
      assert.match(
        (await refused('updateWave', 'wav_x', ...there, '--paused', 'maybe')).message,
        /^--paused: must be on or off/,
      );
      assert.equal((await refused('getWave', 'wav_x', ...there)).message, 'there is no wave wav_x');
      assert.equal(
        (await refused('getWave', 'wav_x', '--waitlist', 'wl_none')).message,
        'there is no waitlist wl_none',
      );
      const file = path.join(storage.dataDir, 'twice.json');
      writeFileSync(file, '{"name":"a","name":"b"}');
      assert.match(
        (await refused('createWave', ...there, '--input', file)).message,
        /name: .*twice|duplicate/,
      );
    });

    it('have commands with names of their own that say and set the same', async () => {
      const { environment } = storage;
      const settings = ['--boost', '7', '--invite-expiry', '7d', '--after-expiry', 'invited'];
      await jsonOf(environment, 'waitlist', 'create', 'wl_whole', '--name', 'Whole', ...settings);
      const shown = await jsonOf(environment, 'waitlist', 'show', 'wl_whole');
      assert.deepEqual(
        [shown.boost, shown.inviteExpiryMs, shown.returnToQueue],
        [7, 7 * 24 * 3_600_000, false],
      );
      const all = await jsonOf<{ id: string }[]>(environment, 'waitlist', 'list');
      assert.ok(all.some(({ id }) => id === 'wl_whole'));
      await jsonOf(environment, 'key', 'create', '--waitlist', 'wl_whole', '--env', 'production', '--read');
      const keys = await jsonOf<Record<string, unknown>[]>(environment, 'key', 'list');
      const key = keys.find(({ waitlistId }) => waitlistId === 'wl_whole');
      assert.deepEqual([key?.canRead, key?.grants], [true, ['waitlist:write', 'waitlist:read']]);
    });

    it('ask for the role of the caller, whatever led there', async () => {
      const parts = await openOperationParts(service.context, readConfig(storage.environment));
      for (const operation of OPERATIONS) {
        if (operation.role === 'viewer') continue;
        const actor = { ...COMMAND_LINE, role: 'viewer' } as const;
        const input = { params: { waitlistId: of.id }, query: {}, body: {} };
        await assert.rejects(perform(operation, parts, actor, input), { code: 'forbidden' }, operation.id);
      }
    });
  });

  describe('the list of operations', () => {
    let service: Service;
    before(async () => {
      service = await startService(engine);
    });
    after(() => service.close());

    it('is the document, besides what is about bytes, cookies and one’s own account', async () => {
      const document = await adminDocumentOf(service);
      const documented = new Map(operationsOf(document).map((each) => [each.operation.operationId, each]));
      for (const each of OPERATIONS) {
        const { method, path } = documented.get(each.id) ?? {};
        const shown = pathOf(each).replace(/:(\w+)/g, '{$1}');
        assert.deepEqual([method, path], [methodOf(each).toLowerCase(), `/admin/v1${shown}`], each.id);
      }
    });

    it('is printed with roles and commands, also outside an installation', async () => {
      const { code, out } = await typed({ DOORLIST_DATA_DIR: '/nowhere' }, 'operations');
      assert.equal(code, 0);
      const commands = (await loadCommands()).map(({ name }) => name);
      for (const { id } of OPERATIONS) {
        const [, command = ''] = new RegExp(`^${id} .*  (\\S.*)$`, 'm').exec(out) ?? [];
        assert.ok(commands.includes(command), id);
      }
      assert.match(out, /^listWaves .* wave list$/m);
    });
  });
});
