import { createServer } from 'node:http';

/** The baseline for everything: node:http with JSON in and JSON out. */
const ENTRY = {
  id: 'ent_06e4zv2m5s9f1k7qj8x0c3r4td',
  email: 'user12345@example.com',
  phone: null,
  metadata: null,
  status: 'waiting',
  position: 12345,
  referrals: 0,
  referralCode: 'k3v9x0ab',
  referredBy: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  invitedAt: null,
  joinedAt: null,
};
const INVITE = { valid: true, email: 'user12345@example.com', waitlist: { id: 'wl_bench', name: 'Bench' } };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (chunks.length > 0) JSON.parse(Buffer.concat(chunks).toString());
    const answer = request.method === 'POST' ? { success: true, created: 1, skipped: 0 } : pick(request.url);
    const body = JSON.stringify(answer);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
});
const pick = (url = '') => (url.startsWith('/invite') ? INVITE : ENTRY);
server.listen(Number(process.env.PORT), '127.0.0.1');
