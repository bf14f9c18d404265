import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface MailCatcher {
  /** For `DOORLIST_SMTP_URL`. */
  url: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const END_OF_MAIL = '\r\n.\r\n';

/** The mail server of the demo: it takes every email, and passes none on. They are read in the mailbox. */
export async function startMailCatcher(): Promise<MailCatcher> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {}); // Whoever hung up needs no answer.
    talk(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, HOST, resolve);
  });
  return {
    url: `smtp://${HOST}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function talk(socket: Socket): void {
  let text = '';
  let isMail = false;
  const say = (line: string) => socket.write(`${line}\r\n`);
  say('220 demo');
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    for (;;) {
      const end = isMail ? END_OF_MAIL : '\r\n';
      const at = text.indexOf(end);
      if (at === -1) break;
      const line = text.slice(0, at);
      text = text.slice(at + end.length);
      if (isMail) say('250 caught: nobody outside of the demo gets it');
      else if (/^quit/i.test(line)) socket.end('221 bye\r\n');
      else say(/^data/i.test(line) ? '354 go on' : '250 ok');
      isMail = !isMail && /^data/i.test(line);
      if (isMail) text = `\r\n${text}`; // So that a mail without lines ends, too.
    }
    if (isMail) text = text.slice(-END_OF_MAIL.length);
  });
}
