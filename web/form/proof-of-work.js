const fromHex = (text) => Uint8Array.from(text.match(/../g), (pair) => Number.parseInt(pair, 16));
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Tries counters, some at a time: WebCrypto works beside the main thread. */
export const solve = async (challenge) => {
  const { nonce, salt, cost, keyLength, keyPrefix } = challenge.parameters;
  const step = Math.min(4, navigator.hardwareConcurrency || 2);
  const options = { name: 'PBKDF2', hash: 'SHA-256', salt: fromHex(salt), iterations: cost };
  let solution;
  const search = async (first) => {
    const password = new Uint8Array(nonce.length / 2 + 4);
    password.set(fromHex(nonce));
    for (let counter = first; !solution; counter += step) {
      new DataView(password.buffer).setUint32(nonce.length / 2, counter);
      const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
      const derivedKey = toHex(new Uint8Array(await crypto.subtle.deriveBits(options, key, keyLength * 8)));
      if (derivedKey.startsWith(keyPrefix)) solution ??= { counter, derivedKey };
    }
  };
  await Promise.all(Array.from({ length: step }, (_, first) => search(first)));
  return btoa(JSON.stringify({ challenge, solution }));
};
