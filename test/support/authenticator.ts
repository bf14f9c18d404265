import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A passkey device in software, which can also misbehave. */
export interface Authenticator {
  readonly id: string;
  /** Signatures so far. */
  counter: number;
  create(options: unknown, how?: Misbehavior): object;
  get(options: unknown, how?: Misbehavior): object;
}

interface Misbehavior {
  origin?: string;
  rpId?: string;
  challenge?: string;
  /** Bits of the authenticator data: 1 present, 4 verified, 0x40 with a key. */
  flags?: number;
  userHandle?: string;
  type?: string;
}

interface CreationOptions {
  rp: { id: string };
  user: { id: string };
  challenge: string;
}

const PRESENT_AND_VERIFIED = 0x05;
const WITH_KEY = 0x40;

export function newAuthenticator(origin: string): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(20);
  const id = credentialId.toString('base64url');
  let user = '';
  const clientData = (type: string, challenge: string, how: Misbehavior) =>
    Buffer.from(
      JSON.stringify({
        type: how.type ?? type,
        challenge: how.challenge ?? challenge,
        origin: how.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const authenticatorData = (rpId: string, flags: number, rest = Buffer.alloc(0)) => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(authenticator.counter);
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), counter, rest]);
  };
  const authenticator: Authenticator = {
    id,
    counter: 0,
    create: (options, how = {}) => {
      const { rp, user: account, challenge } = options as CreationOptions;
      user = account.id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const key = Buffer.concat([Buffer.alloc(16), length, credentialId, coseKey(publicKey)]);
      const authData = authenticatorData(
        how.rpId ?? rp.id,
        (how.flags ?? PRESENT_AND_VERIFIED) | WITH_KEY,
        key,
      );
      const attestation = cbor(
        new Map<unknown, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', authData],
        ]),
      );
      return {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, how).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    get: (options, how = {}) => {
      const { rpId, challenge } = options as { rpId: string; challenge: string };
      authenticator.counter += 1;
      const client = clientData('webauthn.get', challenge, how);
      const authData = authenticatorData(how.rpId ?? rpId, how.flags ?? PRESENT_AND_VERIFIED);
      const signature = sign('sha256', Buffer.concat([authData, sha256(client)]), privateKey);
      return {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle: how.userHandle ?? user,
        },
      };
    },
  };
  return authenticator;
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** ES256: key type EC2, algorithm, curve and point. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return cbor(
    new Map<unknown, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  );
}

/** The part of CBOR that authenticators use. */
function cbor(value: unknown): Buffer {
  const head = (major: number, size: number) => {
    if (size < 24) return Buffer.from([(major << 5) | size]);
    if (size < 256) return Buffer.from([(major << 5) | 24, size]);
    return Buffer.from([(major << 5) | 25, size >> 8, size & 0xff]);
  };
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  const pairs = [...(value as Map<unknown, unknown>)];
  return Buffer.concat([head(5, pairs.length), ...pairs.flatMap((pair) => pair.map(cbor))]);
}
