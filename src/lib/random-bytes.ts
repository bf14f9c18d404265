import sodium from 'sodium-native';

const POOL_BYTES = 4096;
const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let poolUsed = POOL_BYTES;

/** From a pool: asking the kernel for every few bytes costs more than sealing with them. */
export function randomBytes(length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  if (length > POOL_BYTES) {
    sodium.randombytes_buf(bytes);
    return bytes;
  }
  if (poolUsed + length > POOL_BYTES) {
    sodium.randombytes_buf(pool);
    poolUsed = 0;
  }
  pool.copy(bytes, 0, poolUsed, poolUsed + length);
  pool.fill(0, poolUsed, poolUsed + length); // Used once, and not left in memory.
  poolUsed += length;
  return bytes;
}
