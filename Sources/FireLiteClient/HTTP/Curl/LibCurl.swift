#if canImport(FoundationNetworking)
    import CFireLiteCurl

    /// The system's libcurl, loaded when the first request is sent, so that programs do not link it.
    enum LibCurl {
        /// The names of the library with OpenSSL and with GnuTLS.
        private static let names = ["libcurl.so.4", "libcurl-gnutls.so.4"]

        /// Whether there is one that can be used: with TLS, and without a lookup of names that stops everything else.
        static let isLoaded = names.contains { firelite_curl_load($0) == 1 } && canDoAll

        private static var canDoAll: Bool {
            let needed = Int32(FIRELITE_CURL_FEATURE_TLS) | Int32(FIRELITE_CURL_FEATURE_ASYNCHRONOUS_DNS)
            return firelite_curl_features() & needed == needed
        }
    }
#endif
