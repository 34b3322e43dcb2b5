#if canImport(FoundationNetworking)
    import CFireLiteCurl

    /// Why a transfer of libcurl has failed.
    struct CurlFailure {
        let error: HTTPTransportError

        /// - Parameters:
        ///   - result: libcurl's number.
        ///   - easy: the transfer, which knows whether the server can have seen it.
        init?(_ result: Int32, _ easy: UnsafeMutableRawPointer) {
            switch Int(result) {
            case FIRELITE_CURLE_OK: return nil
            case FIRELITE_CURLE_COULDNT_RESOLVE_HOST, FIRELITE_CURLE_COULDNT_CONNECT, FIRELITE_CURLE_COULDNT_RESOLVE_PROXY:
                error = Self.unreachable
            case FIRELITE_CURLE_URL_MALFORMAT, FIRELITE_CURLE_LOGIN_DENIED:
                error = HTTPTransportError(.invalidRequest, "the address is not one of HTTP")
            case FIRELITE_CURLE_UNSUPPORTED_PROTOCOL, FIRELITE_CURLE_WEIRD_SERVER_REPLY, FIRELITE_CURLE_BAD_CONTENT_ENCODING:
                error = HTTPTransportError(.invalid, "the server's answer is not HTTP")
            case FIRELITE_CURLE_SSL_CONNECT_ERROR where firelite_curl_system_error(easy) != 0:
                // The network broke while both sides agreed on keys.
                error = Self.unreachable
            case FIRELITE_CURLE_SSL_CONNECT_ERROR, FIRELITE_CURLE_SSL_CIPHER:
                error = HTTPTransportError(.notSecure, "the server and this system cannot agree on an encryption")
            case FIRELITE_CURLE_PEER_FAILED_VERIFICATION, FIRELITE_CURLE_SSL_CERTPROBLEM, FIRELITE_CURLE_SSL_CACERT_BADFILE,
                FIRELITE_CURLE_SSL_ISSUER_ERROR, FIRELITE_CURLE_SSL_INVALIDCERTSTATUS:
                error = HTTPTransportError(.notSecure, "the server's certificate is not trusted")
            default:
                // Whatever it is: only what certainly was not sent may be sent again.
                error =
                    firelite_curl_may_be_sent(easy) == 0
                    ? Self.unreachable
                    : HTTPTransportError(.connectionLost, "the connection to the server broke (libcurl's code \(result))")
            }
        }

        private static let unreachable = HTTPTransportError(
            .cannotConnect, "the server cannot be reached: check the address and the network")
    }
#endif
