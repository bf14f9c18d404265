import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type DocumentedClient, documentedClient } from '../support/documented-client.ts';
import {
  assertError,
  eventually,
  forEachEngine,
  type List,
  type Service,
  startService,
} from '../support/harness.ts';
import { exchangeOne, open, type Piece, rawRequest } from '../support/raw-http.ts';

const TIMEOUTS = { headersMs: 1_000, requestMs: 1_000, checkMs: 50 };
const ROW = 'someone@example.com\n';
/** More than one chunk, so that something is stored before the end. */
const MUCH = `email\n${ROW.repeat(20_000)}`;

forEachEngine((engine) => {
  describe('an upload', () => {
    let service: Service;
    let hasty: Service;
    before(async () => {
      service = await startService(engine, { timeouts: TIMEOUTS, uploads: { bytesMax: 1_000_000 } });
      hasty = await startService(engine, { uploads: { idleMs: 300, bytesPerSecond: 1_000_000 } });
    });
    after(async () => {
      await service.close();
      await hasty.close();
    });

    /** The first part of a request: its headers, for a body of this length or in chunks. */
    const head = async (of: Service, length: number | 'chunked', type = 'text/csv') => {
      const list = await of.waitlist();
      const admin = await documentedClient(of, 'admin');
      const size =
        length === 'chunked' ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(length) };
      const headers = { authorization: `Bearer ${admin.key}`, 'content-type': type, ...size };
      return {
        list,
        admin,
        bytes: rawRequest('POST', `/admin/v1/waitlists/${list.id}/imports`, headers),
      };
    };
    const stored = async (of: Service) =>
      (await of.context.db.query.selectFrom('import_chunk').select('position').execute()).length;
    const assertNothingLeft = async (of: Service, admin: DocumentedClient, list: List) => {
      assert.equal(
        await eventually(
          () => stored(of),
          (rows) => rows === 0,
        ),
        0,
      );
      const { body } = await admin.call<{ jobs: unknown[] }>('listJobs', 'GET', `/waitlists/${list.id}/jobs`);
      assert.deepEqual(body.jobs, []);
    };
    /** Resolves once the time limit of ordinary requests has passed for everything that was sent before. */
    const limitPasses: Piece = async () => {
      const slow = rawRequest('POST', '/sdk/v1/waitlist/webhooks/verify', {
        'content-type': 'application/json',
        'content-length': '100',
      });
      assertError(await exchangeOne(service.url, slow, '{'), 408, 'invalid_request', /too long/);
    };
    const keepWriting = (bytes: string) => (socket: Socket) => {
      const timer = setInterval(() => socket.writable && socket.write(bytes), 20);
      socket.once('close', () => clearInterval(timer));
    };

    it('may take longer than other requests', async () => {
      const { bytes, list, admin } = await head(service, 38);
      const answer = await exchangeOne(
        service.url,
        bytes,
        'email\nann@exa',
        limitPasses,
        'mple.com\nben@example',
        limitPasses,
        '.com\n',
      );
      assert.equal(answer.status, 202, answer.text);
      await service.runJobs();
      assert.equal((await list.page()).body.total, 2);
      assert.equal(await stored(service), 0);
      assert.match((await admin.audited('entries.imported')).object.id as string, /^wl_/);
    });

    it('is refused without a token, before the file has arrived', async () => {
      const list = await service.waitlist();
      const bytes = rawRequest('POST', `/admin/v1/waitlists/${list.id}/imports`, {
        'content-type': 'text/csv',
        'content-length': '38',
      });
      assertError(await exchangeOne(service.url, bytes, 'email\n'), 401, 'unauthorized');
    });

    for (const type of ['text/csv', 'application/json']) {
      it(`of ${type} gets a 408 when it stalls, and leaves nothing`, async () => {
        const { bytes, list, admin } = await head(hasty, 10_000_000, type);
        const start = type === 'text/csv' ? MUCH : `[${'{"email":"a@b.co"},'.repeat(20_000)}`;
        assertError(await exchangeOne(hasty.url, bytes, start), 408, 'invalid_request', /too long/);
        await assertNothingLeft(hasty, admin, list);
      });
    }

    it('gets a 408 when it only trickles', async () => {
      const { bytes, list, admin } = await head(hasty, 10_000_000);
      const answer = await exchangeOne(hasty.url, bytes, 'email\n', keepWriting('a'));
      assertError(answer, 408, 'invalid_request', /too long/);
      await assertNothingLeft(hasty, admin, list);
    });

    it('that loses its connection leaves nothing and starts no job', async () => {
      for (const length of [900_000, 'chunked'] as const) {
        const { bytes, list, admin } = await head(service, length);
        const { socket, received } = open(service.url);
        socket.write(bytes);
        socket.write(length === 'chunked' ? `${MUCH.length.toString(16)}\r\n${MUCH}\r\n` : MUCH);
        assert.ok(
          await eventually(
            () => stored(service),
            (rows) => rows > 0,
          ),
        );
        socket.destroy();
        await received;
        await assertNothingLeft(service, admin, list);
      }
    });

    it('that is too large gets a 413 before it has arrived, and leaves nothing', async () => {
      const declared = await head(service, 1_000_001);
      assertError(await exchangeOne(service.url, declared.bytes), 413, 'payload_too_large', /larger than/);
      const { bytes, list, admin } = await head(service, 'chunked');
      const piece = `${MUCH.length.toString(16)}\r\n${MUCH}\r\n`;
      const answer = await exchangeOne(service.url, bytes, piece, piece, piece);
      assertError(answer, 413, 'payload_too_large', /larger than/);
      await assertNothingLeft(service, admin, list);
    });
  });
});
