import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadCommands } from '../../src/commands/command-groups.ts';
import { formatId } from '../../src/lib/ids.ts';
import { OPERATIONS } from '../../src/operations/all.ts';
import { createInviteRun, startInviteRun } from '../../src/waitlist/invites/invite-run.ts';
import { changeQueue } from '../../src/waitlist/queue/change-queue.ts';
import type { Context } from '../../src/waitlist/queue/context.ts';
import { startOnce } from '../../src/waitlist/requests/start-once.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { unique } from '../support/storage.ts';

import { command, jsonOf } from '../support/terminal.ts';

forEachEngine((engine) => {
  describe('a command that is run again with its key', () => {
    let service: Service;
    before(async () => {
      service = await startService(engine);
    });
    after(() => service.close());

    const openInvites = async (of: List) => {
      const { id } = await of.queue();
      const { count } = await service.context.db.query
        .selectFrom('invite')
        .select((e) => e.fn.countAll<number>().as('count'))
        .where('queue_id', '=', id)
        .executeTakeFirstOrThrow();
      return Number(count);
    };

    it('has one job, and goes on with it', async () => {
      const of = await service.waitlist();
      await of.signup(...Array.from({ length: 9 }, (_, n) => ({ email: `person${n}@example.com` })));
      const { environment } = service.storage;
      const run = (...words: string[]) => command(environment, ...words, '--waitlist', of.id);
      const key = ['--idempotency-key', unique('j')];
      const [first, again] = [
        await run('invite', 'first', '2', ...key),
        await run('invite', 'first', '2', ...key),
      ];
      assert.deepEqual([first.code, again.out], [0, first.out], first.error);
      assert.equal(await openInvites(of), 2);
      assert.equal((await run('invite', 'first', '3', ...key)).json.code, 'conflict');

      // The first run died after its job was created.
      const { context } = service;
      const queue = await of.queue();
      const request = {
        ...{ queueId: queue.id, vault: queue.vault, actor: 'system:command-line', operation: 'invite first' },
        ...{ key: unique('d'), content: () => ({}) },
      };
      const invite = (within: Context) => startInviteRun(within, queue, { first: 3 }, undefined);
      const dies = startOnce(
        context,
        request,
        async (within) => {
          await within.startOnce?.(async (held) => {
            const { lease } = await changeQueue(held, queue, (change) =>
              createInviteRun(held, change, {
                ...{ selection: { first: 3 }, expiresAt: undefined, runner: 'command-line' },
              }),
            );
            return formatId('job', lease.id);
          });
          throw new Error('killed');
        },
        async () => undefined,
      );
      await assert.rejects(dies, /killed/);
      for (let run = 1; run <= 2; run += 1) {
        const { invited } = await startOnce(context, request, invite, async () => undefined);
        assert.equal(invited, 3);
        assert.equal(await openInvites(of), 5);
      }
    });

    it('imports a file once, and takes it back once', async () => {
      const of = await service.waitlist();
      const file = path.join(mkdtempSync(path.join(tmpdir(), 'again-')), 'people.csv');
      writeFileSync(file, 'email\nada@example.com\n');
      const key = ['--waitlist', of.id, '--idempotency-key', unique('f')];
      const { environment } = service.storage;
      const first = await jsonOf<{ jobId: string }>(environment, 'import', file, ...key);
      assert.deepEqual(await jsonOf(environment, 'import', file, ...key), first);
      const undo = () => jsonOf(environment, 'import', 'undo', first.jobId, ...key);
      assert.deepEqual(await undo(), await undo());
      writeFileSync(file, 'email\nbob@example.com\n');
      assert.equal((await command(environment, 'import', file, ...key)).json.code, 'conflict');
    });

    it('is any that creates, invites or sends', async () => {
      const without = (await loadCommands()).filter(({ once }) => once === undefined).map(({ name }) => name);
      const words = /\b(create|add|first|segment|resend|retry|send-\w+|replay|restore|undo|setup-link|test)$/;
      assert.deepEqual(
        without.filter((name) => words.test(name)),
        ['restore'], // Of a backup, into an empty directory.
      );
      for (const operation of OPERATIONS.filter(({ at, harmless }) => at.startsWith('POST') && !harmless))
        assert.ok(!without.includes(`call ${operation.id}`), operation.id);
    });
  });
});
