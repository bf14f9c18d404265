import { createSocket, type Socket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import type { DnsAnswer, OpenDns } from '../../src/mail/sender/dns.ts';

/** What the DNS has under a name. Names that are not there do not exist. */
export interface Zone {
  [name: string]: {
    txt?: (string | string[])[];
    mx?: string[];
    a?: string[];
    /** The records of another name, with a CNAME to it. */
    alias?: string;
    /** Instead of an answer. */
    fails?: 'SERVFAIL' | 'REFUSED' | 'never answers';
  };
}

const TYPES = { 1: 'a', 5: 'cname', 15: 'mx', 16: 'txt' } as const;
const CODES = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 };

export interface DnsServer {
  /** `127.0.0.1:5353` */
  readonly address: string;
  zone: Zone;
  readonly asked: string[];
  close(): Promise<void>;
}

const silent = async (): Promise<DnsAnswer> => ({ unanswered: 'the DNS is not asked in tests' });
/** Unless a test has a DNS server of its own, nothing leaves this machine. */
export const noDns: OpenDns = () => ({ txt: silent, mx: silent, addresses: silent, close: () => {} });

/** A DNS server on loopback, for what the tests ask. */
export async function startDnsServer(zone: Zone = {}): Promise<DnsServer> {
  const socket: Socket = createSocket('udp4');
  const server: DnsServer = {
    address: '',
    zone,
    asked: [],
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    server.asked.push(`${TYPES[type as keyof typeof TYPES] ?? type} ${name}`);
    const found = server.zone[name];
    if (found?.fails === 'never answers') return;
    const code = found?.fails ? CODES[found.fails] : found ? 0 : CODES.NXDOMAIN;
    const answers = found && !found.fails ? answersOf(server.zone, name, type) : [];
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...answers]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return Object.assign(server, { address: `127.0.0.1:${(socket.address() as AddressInfo).port}` });
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  while (query[at]) {
    const length = query[at] ?? 0;
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answersOf(zone: Zone, name: string, type: number): Buffer[] {
  const { txt = [], mx = [], a = [], alias } = zone[name] ?? {};
  if (alias !== undefined) return [record(name, 5, encodeName(alias)), ...answersOf(zone, alias, type)];
  if (type === 16)
    return txt.map((strings) => record(name, 16, Buffer.concat([strings].flat().map(encodeString))));
  if (type === 15)
    return mx.map((host) => record(name, 15, Buffer.concat([Buffer.from([0, 10]), encodeName(host)])));
  return type === 1 ? a.map((address) => record(name, 1, Buffer.from(address.split('.').map(Number)))) : [];
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(60, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(name), fixed, data]);
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').filter(Boolean);
  return Buffer.concat([...labels.map(encodeString), Buffer.from([0])]);
}

function encodeString(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')]);
}
