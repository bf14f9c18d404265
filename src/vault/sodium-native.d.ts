/** The part of libsodium that the vault uses. The package has no types. */
declare module 'sodium-native' {
  interface Sodium {
    randombytes_buf(into: Uint8Array): void;
    crypto_aead_xchacha20poly1305_ietf_encrypt(
      ciphertext: Uint8Array,
      message: Uint8Array,
      associated: Uint8Array,
      secretNonce: null,
      nonce: Uint8Array,
      key: Uint8Array,
    ): number;
    /** Throws if the ciphertext does not verify. */
    crypto_aead_xchacha20poly1305_ietf_decrypt(
      message: Uint8Array,
      secretNonce: null,
      ciphertext: Uint8Array,
      associated: Uint8Array,
      nonce: Uint8Array,
      key: Uint8Array,
    ): number;
    crypto_pwhash_async(
      into: Uint8Array,
      password: Uint8Array,
      salt: Uint8Array,
      operations: number,
      memory: number,
      algorithm: number,
    ): Promise<void>;
    /** Fills `into` with the hash, its salt and its limits as text, padded with zeros. */
    crypto_pwhash_str_async(
      into: Uint8Array,
      password: Uint8Array,
      operations: number,
      memory: number,
    ): Promise<void>;
    crypto_pwhash_str_verify_async(hash: Uint8Array, password: Uint8Array): Promise<boolean>;
    readonly crypto_pwhash_STRBYTES: number;
    readonly crypto_pwhash_OPSLIMIT_INTERACTIVE: number;
    readonly crypto_pwhash_MEMLIMIT_INTERACTIVE: number;
    readonly crypto_pwhash_ALG_ARGON2ID13: number;
    readonly crypto_pwhash_SALTBYTES: number;
    readonly crypto_pwhash_MEMLIMIT_MIN: number;
    readonly crypto_pwhash_OPSLIMIT_MODERATE: number;
    readonly crypto_pwhash_MEMLIMIT_MODERATE: number;
    crypto_secretstream_xchacha20poly1305_init_push(
      state: Uint8Array,
      header: Uint8Array,
      key: Uint8Array,
    ): void;
    crypto_secretstream_xchacha20poly1305_init_pull(
      state: Uint8Array,
      header: Uint8Array,
      key: Uint8Array,
    ): void;
    crypto_secretstream_xchacha20poly1305_push(
      state: Uint8Array,
      ciphertext: Uint8Array,
      message: Uint8Array,
      associated: Uint8Array,
      tag: number,
    ): number;
    /** Throws if the ciphertext does not verify. */
    crypto_secretstream_xchacha20poly1305_pull(
      state: Uint8Array,
      message: Uint8Array,
      tag: Uint8Array,
      ciphertext: Uint8Array,
      associated: Uint8Array,
    ): number;
    readonly crypto_secretstream_xchacha20poly1305_STATEBYTES: number;
    readonly crypto_secretstream_xchacha20poly1305_HEADERBYTES: number;
    readonly crypto_secretstream_xchacha20poly1305_ABYTES: number;
    readonly crypto_secretstream_xchacha20poly1305_TAG_MESSAGE: number;
    readonly crypto_secretstream_xchacha20poly1305_TAG_FINAL: number;
    crypto_generichash(into: Uint8Array, input: Uint8Array, key?: Uint8Array): void;
  }
  const sodium: Sodium;
  export default sodium;
}
