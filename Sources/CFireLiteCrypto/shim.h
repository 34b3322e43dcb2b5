// The C API of OpenSSL's libcrypto, from version 3.0 on.
#ifndef FIRELITE_CCRYPTO_SHIM_H
#define FIRELITE_CCRYPTO_SHIM_H

#if !__has_include(<openssl/crypto.h>)
#error "FireLiteCrypto needs the headers of OpenSSL 3.0 or newer: install them (Debian, Ubuntu: apt-get install libssl-dev)"
#endif

#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "FireLiteCrypto needs OpenSSL 3.0 or newer: install its headers (Debian, Ubuntu: apt-get install libssl-dev)"
#endif

// A macro in OpenSSL's headers, so that Swift cannot call it.
static inline EVP_PKEY *firelite_generate_ec(const char *curve) { return EVP_EC_gen(curve); }
static inline EVP_PKEY *firelite_generate_rsa(unsigned int bits) { return EVP_RSA_gen(bits); }

#endif
