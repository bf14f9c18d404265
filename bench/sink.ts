import { createServer } from 'node:http';

/** Accepts deliveries: `/timed` records their age, `/hang` never responds, anything else responds at once. */
let ages: number[] = [];

const server = createServer((request, response) => {
  if (request.url === '/hang') return void request.resume();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.url === '/timed') {
      const { timestamp } = JSON.parse(Buffer.concat(chunks).toString()) as { timestamp: string };
      ages.push(Date.now() - Date.parse(timestamp));
    }
    response.writeHead(200, { 'content-length': 0 });
    response.end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
process.on('message', () => {
  process.send?.(ages);
  ages = [];
});
