import { createServer } from 'node:net';

/** Accepts mails with the minimum of SMTP, and returns their number on request. */
let taken = 0;

const server = createServer((socket) => {
  let rest = '';
  let inData = false;
  socket.setNoDelay(true);
  socket.write('220 sink\r\n');
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1');
    for (;;) {
      const end = inData ? rest.indexOf('\r\n.\r\n') : rest.indexOf('\r\n');
      if (end < 0) return;
      const line = rest.slice(0, end);
      rest = rest.slice(end + (inData ? 5 : 2));
      if (inData) taken += 1;
      socket.write(answer(inData ? '' : line.slice(0, 4).toUpperCase()));
      inData = !inData && /^data/i.test(line);
    }
  });
});

function answer(verb: string): string {
  if (verb === 'EHLO') return '250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n';
  if (verb === 'DATA') return '354 go on\r\n';
  return verb === 'QUIT' ? '221 bye\r\n' : '250 OK\r\n';
}

server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
process.on('message', () => process.send?.(taken));
