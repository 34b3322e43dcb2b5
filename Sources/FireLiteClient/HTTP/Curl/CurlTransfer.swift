#if canImport(FoundationNetworking)
    import CFireLiteCurl
    import Foundation

    /// A request that libcurl sends.
    ///
    /// `@unchecked Sendable`: the variables belong to the thread of the loop.
    final class CurlTransfer: @unchecked Sendable {
        let reception: HTTPReception
        let origin: Origin
        /// libcurl's side of it; nil before the start and after the end.
        private(set) var easy: UnsafeMutableRawPointer?
        /// Whether libcurl waits until the reader has room.
        var isPaused = false
        private let request: HTTPRequest
        private var fieldList: UnsafeMutableRawPointer?
        private var sentBytes = 0
        private var status = 0
        private var fields: [HTTPFields.Field] = []
        private var hasHead = false

        init(_ request: HTTPRequest, to origin: Origin) {
            self.request = request
            self.origin = origin
            reception = HTTPReception(request, canWait: true)
        }

        deinit { close() }

        // MARK: - Beginning and ending

        /// Prepares libcurl's side.
        ///
        /// - Throws: `HTTPTransportError`.
        func open() throws -> UnsafeMutableRawPointer {
            guard let easy = firelite_curl_easy_init() else {
                throw HTTPTransportError(.cannotConnect, "there is no memory for a request")
            }
            self.easy = easy
            let options = CurlOptions(easy)
            let context = Unmanaged.passUnretained(self).toOpaque()
            let hasBody = try body(options)
            options.check(
                firelite_curl_set_functions(
                    easy, context, Self.header, Self.received, hasBody ? Self.wanted : nil, hasBody ? Self.seek : nil))
            options.set(FIRELITE_CURLOPT_URL, request.url.absoluteString)
            options.security(isEncrypted: origin.scheme == "https")
            options.set(FIRELITE_CURLOPT_ACCEPT_ENCODING, "")
            options.connection(isReading: request.isReading, hasBody: request.body?.isEmpty == false)
            try setFields(options)
            guard options.areSet else { throw HTTPTransportError(.invalidRequest, "libcurl does not take the request") }
            return easy
        }

        /// Sets the data to send. Data sent by `wanted` is sent once, as libcurl cannot rewind it.
        private func body(_ options: CurlOptions) throws -> Bool {
            let needsBody = [.post, .put, .patch].contains(request.method)
            if request.body == nil, !needsBody {
                if request.method == .head { options.set(FIRELITE_CURLOPT_NOBODY, 1) }
                if !request.isReading { options.set(FIRELITE_CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
                return false
            }
            options.set(FIRELITE_CURLOPT_UPLOAD, 1)
            options.check(firelite_curl_set_size(options.easy, Int32(FIRELITE_CURLOPT_INFILESIZE_LARGE), Int64(request.body?.count ?? 0)))
            options.set(FIRELITE_CURLOPT_CUSTOMREQUEST, request.method.rawValue)
            return true
        }

        private func setFields(_ options: CurlOptions) throws {
            // libcurl would wait for the server's consent before it sends a long body.
            var lines = ["Expect:"]
            // With a semicolon libcurl sends a field without a value.
            for field in request.fields.all { lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)") }
            for line in lines {
                guard let list = firelite_curl_append(fieldList, line) else {
                    throw HTTPTransportError(.cannotConnect, "there is no memory for a request")
                }
                fieldList = list
            }
            options.check(firelite_curl_set_pointer(options.easy, Int32(FIRELITE_CURLOPT_HTTPHEADER), fieldList))
        }

        /// Frees libcurl's side, which no multi handle holds any more.
        func close() {
            if let easy { firelite_curl_easy_cleanup(easy) }
            if let fieldList { firelite_curl_free(fieldList) }
            (easy, fieldList) = (nil, nil)
        }

        /// Whether the server has certainly not seen the request.
        var isUnsent: Bool { easy.map { firelite_curl_may_be_sent($0) == 0 } ?? true }

        // MARK: - libcurl's calls

        private static let header: firelite_curl_data = { bytes, size, count, context in
            transfer(context).header(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
        }

        private static let received: firelite_curl_data = { bytes, size, count, context in
            let transfer = transfer(context)
            // libcurl then keeps the bytes, and passes them again.
            if transfer.reception.receive(Data(UnsafeRawBufferPointer(start: bytes, count: size * count))) { return size * count }
            transfer.isPaused = true
            return Int(0x1000_0001)
        }

        private static let wanted: firelite_curl_data = { bytes, size, count, context in
            transfer(context).fill(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
        }

        /// If a kept connection breaks without an answer, libcurl sends the request again on a new one, whatever its method. It gives up if the body
        /// cannot be had again.
        private static let seek: firelite_curl_seek = { context, offset, _ in
            offset == 0 && transfer(context).sentBytes == 0 ? 0 : 1
        }

        private static func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
            // Set with the functions, by a transfer that lives as long as libcurl's side.
            Unmanaged<CurlTransfer>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
        }

        private func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
            guard let body = request.body, sentBytes < body.count else { return 0 }
            let count = min(buffer.count, body.count - sentBytes)
            let start = body.startIndex + sentBytes
            body.copyBytes(to: buffer, from: start..<start + count)
            sentBytes += count
            reception.note(count)
            // From here on the server thinks.
            if sentBytes == body.count { reception.noteProgress() }
            return count
        }

        /// Takes a line of a head: of an answer that is to come, of the answer, or, after the body, a trailer.
        ///
        /// - Returns: false if it is not HTTP.
        private func header(_ bytes: UnsafeRawBufferPointer) -> Bool {
            reception.note(bytes.count)
            guard !hasHead else { return true }
            var line = String(decoding: bytes, as: UTF8.self)
            while let last = line.unicodeScalars.last, last == "\r" || last == "\n" { line.unicodeScalars.removeLast() }
            if line.hasPrefix("HTTP/") {
                status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
                fields = []
                return true
            }
            if line.isEmpty {
                guard status >= 100, status < 600 else {
                    reception.finish(HTTPTransportError(.invalid, "the server's answer is not HTTP"))
                    return false
                }
                guard status >= 200 else { return true }
                hasHead = true
                reception.receive(status: status, HTTPFields(fields))
                return true
            }
            if line.first == " " || line.first == "\t", let last = fields.popLast() {
                fields.append(HTTPFields.Field(name: last.name, value: last.value + " " + line.trimmingCharacters(in: .whitespaces)))
            } else if let colon = line.firstIndex(of: ":") {
                add(String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
            }
            return true
        }

        /// Adds a field. Several with one name form a list (RFC 9110, 5.3), except cookies, which are not kept.
        private func add(_ name: String, _ value: String) {
            if let known = fields.firstIndex(where: { $0.name.lowercased() == name.lowercased() }), name.lowercased() != "set-cookie" {
                fields[known] = HTTPFields.Field(name: fields[known].name, value: fields[known].value + ", " + value)
            } else {
                fields.append(HTTPFields.Field(name: name, value: value))
            }
        }
    }
#endif
