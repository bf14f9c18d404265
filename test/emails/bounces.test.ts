import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { suppressionsOf } from '../../src/waitlist/links/suppression.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { scriptOf } from '../support/program.ts';
import { command, typed } from '../support/terminal.ts';

const bounceOf = (email: string, action = 'failed', status = '5.1.1') => `From: MAILER-DAEMON@mx.example
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: rfc822; ${email}
Action: ${action}
Status: ${status}

--b--
`;

forEachEngine((engine) => {
  describe('mail bounce', () => {
    let service: Service;
    let list: List;
    let file: string;
    before(async () => {
      service = await startService(engine);
      list = await service.waitlist();
      file = path.join(service.storage.dataDir, 'bounce.eml');
      await list.signup({ email: 'ada@example.com' }, { email: 'bea@example.com' });
    });
    after(() => service.close());
    const reasons = async (email: string) =>
      (await suppressionsOf(service.context, await list.queue(), email)).map(({ reason }) => reason);
    const read = (message: string) => {
      writeFileSync(file, message);
      return typed(service.storage.environment, 'mail', 'bounce', file, '--waitlist', list.id);
    };

    it('suppresses the address of a message that is piped in', async () => {
      const words = [scriptOf('main'), 'mail', 'bounce', '--waitlist', list.id, '--json'];
      const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
      const env = { PATH, HOME, NODE_COMPILE_CACHE, ...service.storage.environment };
      const child = spawn(process.execPath, words, { env, stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdin.end(bounceOf('ada@example.com'));
      let out = '';
      for await (const chunk of child.stdout) out += chunk;
      assert.deepEqual(JSON.parse(out), { accepted: 1, permanent: 1, complaints: 0 });
      assert.deepEqual(await reasons('ada@example.com'), ['bounced']);
    });

    it('counts one that is not permanent, and takes one that reports no failure', async () => {
      const soft = await read(bounceOf('bea@example.com', 'delayed', '4.2.2'));
      assert.deepEqual([soft.code, soft.out], [0, 'Recorded 1 bounce, 0 permanent.']);
      const fine = await read(bounceOf('bea@example.com', 'delivered', '2.0.0'));
      assert.deepEqual(
        [fine.code, fine.out],
        [0, 'Nothing to record: the message reports no failed delivery.'],
      );
      assert.deepEqual(await reasons('bea@example.com'), []);
    });

    it('refuses other messages, and says what is missing', async () => {
      const other = await read('Subject: Hello\n\nHow are you?');
      assert.equal(other.code, 1);
      assert.match(other.error, /message: is neither a delivery status notification/);
      const { environment } = service.storage;
      const nowhere = await typed(environment, 'mail', 'bounce', '/nowhere', '--waitlist', list.id);
      assert.equal(nowhere.code, 2);
      assert.match(nowhere.error, /cannot read \/nowhere \(ENOENT\)/);
      const unknown = await command(environment, 'mail', 'bounce', file, '--waitlist', 'wl_nowhere');
      assert.equal(unknown.code, 1);
    });
  });
});
