#if canImport(FoundationNetworking)
    import CFireLiteCurl

    /// Sets options of a transfer, and records whether libcurl accepted all of them.
    final class CurlOptions {
        let easy: UnsafeMutableRawPointer
        private(set) var areSet = true

        init(_ easy: UnsafeMutableRawPointer) { self.easy = easy }

        func set(_ option: Int, _ value: Int) { check(firelite_curl_set_long(easy, Int32(option), value)) }

        func set(_ option: Int, _ value: String) { check(firelite_curl_set_text(easy, Int32(option), value)) }

        func check(_ result: Int32) { if result != FIRELITE_CURLE_OK { areSet = false } }

        /// Settings that a server, a proxy or an address cannot change: only HTTP, a verified certificate, no redirects, no passwords from
        /// addresses.
        func security(isEncrypted: Bool) {
            // HTTP is bit 0 and HTTPS bit 1: an encrypted request stays encrypted.
            set(FIRELITE_CURLOPT_PROTOCOLS, isEncrypted ? 2 : 1)
            set(FIRELITE_CURLOPT_SSL_VERIFYPEER, 1)
            // The name in the certificate must be that of the server; 1 would only ask for some name.
            set(FIRELITE_CURLOPT_SSL_VERIFYHOST, 2)
            set(FIRELITE_CURLOPT_FOLLOWLOCATION, 0)
            set(FIRELITE_CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
            set(FIRELITE_CURLOPT_PATH_AS_IS, 1)
            set(FIRELITE_CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
            // HTTP/2 if TLS negotiates it, on one connection for all requests.
            set(FIRELITE_CURLOPT_HTTP_VERSION, 4)
            if isEncrypted { set(FIRELITE_CURLOPT_PIPEWAIT, 1) }
        }

        /// How connections are kept and left.
        func connection(isReading: Bool, hasBody: Bool) {
            set(FIRELITE_CURLOPT_NOSIGNAL, 1)
            set(FIRELITE_CURLOPT_TCP_KEEPALIVE, 1)
            // Since 7.87: ending a transfer does not wait for the lookup of its host. Older ones do not know it.
            _ = firelite_curl_set_long(easy, Int32(FIRELITE_CURLOPT_QUICK_EXIT), 1)
            guard !isReading else { return }
            // The server may close an idle connection just when a request arrives; it is then unknown whether it executed the request.
            set(FIRELITE_CURLOPT_MAXAGE_CONN, 1)
            // Without a body, libcurl may resend a request if a reused connection breaks without an answer.
            if !hasBody { set(FIRELITE_CURLOPT_FRESH_CONNECT, 1) }
        }
    }
#endif

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
