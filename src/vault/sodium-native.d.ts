/** The part of libsodium that the vault uses; the package ships no types. */
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
    /** Throws when the ciphertext does not verify. */
    crypto_aead_xchacha20poly1305_ietf_decrypt(
      message: Uint8Array,
      secretNonce: null,
      ciphertext: Uint8Array,
      associated: Uint8Array,
      nonce: Uint8Array,
      key: Uint8Array,
    ): number;
    crypto_generichash(into: Uint8Array, input: Uint8Array, key?: Uint8Array): void;
  }
  const sodium: Sodium;
  export default sodium;
}
